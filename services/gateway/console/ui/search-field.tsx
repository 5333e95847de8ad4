import { useEffect, useState } from 'preact/hooks'

interface SearchFieldProps {
  label: string
  value: string
  onSearch: (value: string) => void
}

/** Time without a key until a search starts. */
const pauseMs = 250

/** A search field that searches while a person types. */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value)
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onSearch(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
    />
  )
}
