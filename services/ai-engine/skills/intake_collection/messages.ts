import { isFieldKey } from './fields.ts'
import { fieldLabel, formatValue } from './format.ts'
import type { Intake } from './products.ts'

export const readingMessage = { zh: '正在阅读您的描述', en: 'Reading what you wrote' }
export const askingMessage = {
  zh: '为继续处理，还需要您补充以下信息。',
  en: 'To go on, a few more details are needed.',
}

export function doneMessage({ fields, causeName, language }: Intake): string {
  const what = formatValue('cause_of_action_code', fields, language, causeName)
  return { zh: `信息已收集完毕：${what}。`, en: `The intake is complete: ${what}.` }[language]
}

/** Reply that names the fields that changed after the intake was complete; empty if none did. */
export function updateMessage({ fields, causeName, language }: Intake, changed: string[]): string {
  const lines = changed.filter(isFieldKey).map((key) => {
    const value = formatValue(key, fields, language, causeName)
    return `- ${fieldLabel(key, language)}: ${value.length > 200 ? `${value.slice(0, 200)}…` : value}`
  })
  return lines.length === 0 ? '' : [updatedMessage[language], ...lines].join('\n')
}

const updatedMessage = { zh: '已更新以下信息：', en: 'The following was updated:' }
