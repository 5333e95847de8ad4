import { applySettings, settings, type Theme, themes } from '../settings.ts'
import { useStore } from '../store.ts'
import { type Language, t } from '../text/text.ts'

/** Languages name themselves, so that a reader finds theirs. */
const languages: Record<Language, string> = { zh: '中文', en: 'English' }

/** Choice of language and theme. */
export function Preferences() {
  const { language, theme } = useStore(settings)
  return (
    <div class="preferences">
      <label>
        <span>{t('app.language')}</span>
        <select
          value={language}
          onChange={({ currentTarget }) =>
            applySettings({ language: currentTarget.value as Language })
          }
        >
          {Object.entries(languages).map(([value, name]) => (
            <option key={value} value={value} lang={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t('app.theme')}</span>
        <select
          value={theme}
          onChange={({ currentTarget }) => applySettings({ theme: currentTarget.value as Theme })}
        >
          {themes.map((value) => (
            <option key={value} value={value}>
              {t(`app.theme.${value}`)}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}
