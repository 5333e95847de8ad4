/** Writes name the version that was read: somebody else's change is not overwritten. */
export const matchVersion = ({ version }: { version: number }) => ({ 'If-Match': `"${version}"` })
