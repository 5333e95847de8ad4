import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, request } from '../../api/client.ts'
import type { Calculator } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import type { PageProps } from '../../page-props.ts'
import { navigate, place } from '../../router.ts'
import { t } from '../../text/text.ts'
import { Empty, Loaded, PageHeading, Problem } from '../../ui/state.tsx'
import { type Calculation, calculatorsPath, localizeTitle } from './calculation.ts'
import { CalculationView } from './calculation-view.tsx'
import { InputFields } from './input-fields.tsx'
import {
  type DraftGroup,
  type Faults,
  type InputSchema,
  isEmpty,
  parseDraft,
  readQuery,
  writeQuery,
} from './inputs.ts'

/** One calculator. The inputs are in the address, so that a link opens the same calculation. */
export default function CalculatorPage({ params: { id } }: PageProps) {
  const load = useLoad('calculators', (signal) =>
    request<{ calculators: Calculator[] }>(calculatorsPath, { signal }),
  )
  return (
    <section class="page">
      <Loaded load={load}>
        {({ calculators }) => {
          const calculator = calculators.find((each) => each.id === id)
          return calculator ? <CalculatorForm calculator={calculator} /> : <Unknown />
        }}
      </Loaded>
    </section>
  )
}

const Unknown = () => (
  <>
    <PageHeading text={t('app.notFound')} />
    <Empty title={t('calculators.unknown')}>
      <a class="button primary" href="/calculators">
        {t('calculators.all')}
      </a>
    </Empty>
  </>
)

function CalculatorForm({ calculator }: { calculator: Calculator }) {
  const schema = calculator.inputs as unknown as InputSchema
  const [draft, setDraft] = useState(() => readQuery(schema, place.get().query))
  const [faults, setFaults] = useState<Faults>({})
  const [error, setError] = useState<unknown>()
  const [calculation, setCalculation] = useState<Calculation>()
  const form = useRef<HTMLFormElement>(null)

  async function calculate(values: DraftGroup) {
    const { inputs, faults } = parseDraft(schema, values)
    setFaults(faults)
    setError(undefined)
    setCalculation(undefined)
    if (Object.keys(faults).length > 0) return focusFault(form.current)
    navigate(`/calculators/${calculator.id}?${writeQuery(values)}`, { replace: true })
    try {
      const path = `${calculatorsPath}/${calculator.id}`
      setCalculation(await request<Calculation>(path, { method: 'POST', body: inputs }))
    } catch (thrown) {
      const found = collectFaults(thrown)
      setFaults(found)
      if (Object.keys(found).length > 0) focusFault(form.current)
      else setError(thrown)
    }
  }
  // A link with inputs shows its result at once.
  useEffect(() => {
    const isFilled = (schema.required ?? []).every((name) => !isEmpty(draft[name] ?? ''))
    if (isFilled && place.get().query.size > 0) calculate(draft)
  }, [])

  return (
    <>
      <PageHeading text={localizeTitle(calculator.title)}>
        <a class="button" href="/calculators">
          {t('calculators.all')}
        </a>
      </PageHeading>
      <div class="calculator">
        <form
          ref={form}
          class="panel-box inputs"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            calculate(draft)
          }}
        >
          <InputFields
            calculator={calculator.id}
            schema={schema}
            draft={draft}
            prefix=""
            faults={faults}
            onChange={setDraft}
          />
          <button type="submit" class="primary">
            {t('calculators.calculate')}
          </button>
        </form>
        <div class="outcome" aria-live="polite">
          {error !== undefined && <TableEnd error={error} />}
          {error !== undefined && <Problem error={error} onRetry={() => calculate(draft)} />}
          {calculation ? (
            <CalculationView calculation={calculation} />
          ) : (
            error === undefined && <Empty title={t('calculators.start')} />
          )}
        </div>
      </div>
    </>
  )
}

/** Explains a date that a rate table does not cover. */
function TableEnd({ error }: { error: unknown }) {
  if (!(error instanceof ApiError) || error.code !== 'RATE_TABLE_ENDS') return null
  const { through } = error.data as { through: string }
  return <p class="notice warn">{t('calculators.tableEnds', { day: through })}</p>
}

function collectFaults(thrown: unknown): Faults {
  if (!(thrown instanceof ApiError)) return {}
  return Object.fromEntries(
    thrown.issues.map(({ path, message }) => [path, { kind: 'message', message }]),
  )
}

/** Moves the focus to the first invalid control, once it is marked. */
function focusFault(form: HTMLFormElement | null) {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
}
