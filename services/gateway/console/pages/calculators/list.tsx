import { request } from '../../api/client.ts'
import type { Calculator } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import { t } from '../../text/text.ts'
import { Empty, Loaded, PageHeading } from '../../ui/state.tsx'
import { calculatorsPath, localizeTitle } from './calculation.ts'

/** All calculators. */
export default function CalculatorsPage() {
  const load = useLoad('calculators', (signal) =>
    request<{ calculators: Calculator[] }>(calculatorsPath, { signal }),
  )
  return (
    <section class="page">
      <PageHeading text={t('nav.calculators')} />
      <p class="faint">{t('calculators.hint')}</p>
      <Loaded load={load}>
        {({ calculators }) =>
          calculators.length === 0 ? (
            <Empty title={t('calculators.empty')} />
          ) : (
            <ul class="tiles">
              {calculators.map((calculator) => (
                <li key={calculator.id}>
                  <a class="tile" href={`/calculators/${calculator.id}`}>
                    <strong>{localizeTitle(calculator.title)}</strong>
                    <span class="faint">{listLaws(calculator)}</span>
                  </a>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}

const listLaws = ({ articles }: Calculator) =>
  [...new Set(articles.map(({ law }) => `《${law}》`))].join(' ')
