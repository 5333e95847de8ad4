import type { Service } from '../_kit/service.ts'

export interface DeployedService {
  service: Service
  /** Listen address: `127.0.0.1:8081`. */
  address: string
  /** Variables passed from the environment of the workerd process. */
  variables: string[]
}

/** Builds a configuration for `workerd serve` in which every service is a binding of every other. */
export function workerdConfig(deployed: DeployedService[]): string {
  const names = deployed.map(({ service }) => service.name)
  const workers = deployed.map(({ service: { name, folder }, variables }) => {
    const bindings = [
      ...variables.map((each) => `(name = "${each}", fromEnvironment = "${each}")`),
      ...names
        .filter((each) => each !== name)
        .map((each) => `(name = "${each}", service = "${each}")`),
    ]
    return `(name = "${name}", worker = (
      compatibilityDate = "2026-10-01",
      modules = [(name = "${folder}.js", esModule = embed "${folder}.js")],
      bindings = [
        ${bindings.join(',\n        ')}
      ]
    ))`
  })
  const sockets = deployed.map(
    ({ service: { name }, address }) =>
      `(name = "${name}", address = "${address}", http = (), service = "${name}")`,
  )
  // Databases, relays and model servers often have private addresses.
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    ${workers.join(',\n    ')},
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true)))
  ],
  sockets = [
    ${sockets.join(',\n    ')}
  ]
);
`
}
