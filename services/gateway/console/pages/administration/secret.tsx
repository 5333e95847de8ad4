import { t } from '../../text/text.ts'

/** A secret that the server shows once. */
export const Secret = ({ text }: { text: string }) => (
  <p class="notice warn" role="status">
    {t('secret.once')}
    <br />
    <code class="secret">{text}</code>
  </p>
)
