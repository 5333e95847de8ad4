import { allContainers, type Pod } from './queries.ts'

/** Violations of the `restricted` Pod Security Standard, and of a read-only root filesystem. */
export function violations({ spec, ...rest }: Pod, assignedIds = false): string[] {
  const faults: string[] = []
  const expect = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault)
  }
  for (const name of ['hostNetwork', 'hostPID', 'hostIPC'])
    expect(!spec[name], `${name} is not allowed`)
  expect(spec.securityContext?.runAsNonRoot === true, 'runAsNonRoot')
  // Without a fixed id, runAsNonRoot alone rejects an image that runs as root.
  expect(assignedIds || spec.securityContext?.runAsUser > 0, 'runAsUser')
  expect(spec.securityContext?.seccompProfile?.type === 'RuntimeDefault', 'seccompProfile')
  expect(spec.automountServiceAccountToken === false, 'a token is mounted')
  const allowed = ['configMap', 'emptyDir', 'persistentVolumeClaim', 'secret']
  for (const { name, ...volume } of spec.volumes ?? [])
    expect(
      Object.keys(volume).every((kind) => allowed.includes(kind)),
      `volume ${name}`,
    )
  for (const { name, securityContext, ports = [] } of allContainers({ spec, ...rest })) {
    expect(securityContext?.allowPrivilegeEscalation === false, `${name}: privilege escalation`)
    expect(securityContext?.capabilities?.drop?.includes('ALL'), `${name}: capabilities`)
    expect(!securityContext?.capabilities?.add, `${name}: added capabilities`)
    expect(securityContext?.readOnlyRootFilesystem === true, `${name}: root may be written`)
    expect(!securityContext?.privileged, `${name}: privileged`)
    for (const port of ports) expect(!port.hostPort, `${name}: host port`)
  }
  return faults
}
