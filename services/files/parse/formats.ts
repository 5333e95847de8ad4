const office = 'application/vnd.openxmlformats-officedocument'

const formats = {
  'text/plain': 'text',
  'text/markdown': 'text',
  'text/csv': 'text',
  'application/json': 'text',
  'text/html': 'html',
  'application/pdf': 'pdf',
  [`${office}.wordprocessingml.document`]: 'docx',
  [`${office}.spreadsheetml.sheet`]: 'xlsx',
  // Binary Office files and encrypted OOXML files.
  'application/x-cfb': 'compound',
  'image/png': 'image',
  'image/jpeg': 'image',
  'image/tiff': 'image',
} as const

export type Format = (typeof formats)[keyof typeof formats]

/** Parser format of a content type, or undefined if none supports it. */
export const findFormat = (contentType: string): Format | undefined =>
  (formats as Record<string, Format>)[contentType]
