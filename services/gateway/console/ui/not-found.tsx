import { t } from '../text/text.ts'
import { Empty, PageHeading } from './state.tsx'

/** Shown in place of a page or record that does not exist, or is not for the role of the person. */
export const NotFound = () => (
  <section class="page">
    <PageHeading text={t('app.notFound')} />
    <Empty title={t('app.notFound.hint')}>
      <a class="button primary" href="/consultations">
        {t('app.home')}
      </a>
    </Empty>
  </section>
)
