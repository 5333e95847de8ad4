import { t } from '../../text/text.ts'
import { AdministrationLayout } from './administration.tsx'
import { Configs } from './configs.tsx'
import { Flags } from './flags.tsx'
import { Tags } from './tags.tsx'

/** Configuration, feature flags and tags. */
export default function SettingsPage() {
  return (
    <AdministrationLayout page="settings">
      <section class="panel-box" aria-labelledby="flags">
        <h2 id="flags">{t('flags.title')}</h2>
        <Flags />
      </section>
      <section class="panel-box" aria-labelledby="configs">
        <h2 id="configs">{t('configs.title')}</h2>
        <Configs />
      </section>
      <section class="panel-box" aria-labelledby="tags">
        <h2 id="tags">{t('tags.title')}</h2>
        <Tags />
      </section>
    </AdministrationLayout>
  )
}
