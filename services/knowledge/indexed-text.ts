interface TextSource {
  title: string
  section_id?: string | null | undefined
  heading: string | null
  content: string
}

/** Text that the index contains for a chunk: title, section, heading and content. */
export const indexedText = ({ title, section_id, heading, content }: TextSource) =>
  `${title}\n${section_id ?? ''}\n${heading ?? ''}\n${content}`
