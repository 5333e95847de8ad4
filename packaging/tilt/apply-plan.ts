import { execFileSync } from 'node:child_process'

/**
 * Prints a SeedPackageApply that applies the plan of a finished dry run:
 * `node packaging/tilt/apply-plan.ts NAMESPACE FILE`.
 */
const [namespace, file] = process.argv.slice(2)
const dryRun = JSON.parse(
  execFileSync('kubectl', ['--namespace', namespace!, 'get', '-o', 'json', '-f', file!], {
    encoding: 'utf8',
  }),
)
if (!dryRun.status?.planHash) throw new Error(`${dryRun.metadata.name} has no plan: plan it first`)
console.log(
  JSON.stringify({
    apiVersion: dryRun.apiVersion,
    kind: dryRun.kind,
    metadata: { generateName: `${dryRun.metadata.name}-` },
    spec: { ...dryRun.spec, dryRun: false, expectPlanHash: dryRun.status.planHash },
  }),
)
