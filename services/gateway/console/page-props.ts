/** Properties of every page: the parameters in its path. */
export interface PageProps {
  params: Record<string, string>
}
