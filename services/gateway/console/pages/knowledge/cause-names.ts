import { currentLanguage } from '../../text/text.ts'

interface Named {
  name: string
  name_en?: string
}
interface Described {
  description: string
  description_en?: string
}

/** Names in the language of the reader; the Chinese name where there is no other. */
export const causeName = ({ name, name_en }: Named) =>
  currentLanguage() === 'en' ? (name_en ?? name) : name

export const causeDescription = ({ description, description_en }: Described) =>
  currentLanguage() === 'en' ? (description_en ?? description) : description

/** Articles by their law, as statutes are cited. */
export const citeArticle = ({ law, article }: { law: string; article: string }) =>
  `《${law}》${article}`

export const lawAddress = ({ law, article }: { law: string; article: string }) =>
  `/knowledge/law?${new URLSearchParams({ law, article })}`
