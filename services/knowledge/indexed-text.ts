interface TextSource {
  title: string
  section_id?: string | null | undefined
  heading: string | null
  content: string
}

/** The text by which a chunk is found: what it is part of, and what it says. */
export const indexedText = ({ title, section_id, heading, content }: TextSource) =>
  `${title}\n${section_id ?? ''}\n${heading ?? ''}\n${content}`
