import { request } from '../../api/client.ts'
import type { File as StoredFile } from '../../api/types.ts'
import { useLoad } from '../../api/use-load.ts'
import { filesPath } from './upload.ts'

/** Names of the files of a message, as links. */
export const FileNames = ({ ids }: { ids: string[] }) => (
  <ul class="file-list">
    {ids.map((id) => (
      <li key={id}>
        <FileName id={id} />
      </li>
    ))}
  </ul>
)

function FileName({ id }: { id: string }) {
  const { data } = useLoad(`file ${id}`, (signal) =>
    request<StoredFile>(`${filesPath}/${id}`, { signal }),
  )
  return (
    <a href={`${filesPath}/${id}/download`} download="">
      {data?.filename ?? id}
    </a>
  )
}
