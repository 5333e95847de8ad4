export const usage = `legal-seed: seed packages of the legal suite

  legal-seed list                          packages, and what became of them
  legal-seed manifest <id>                 what a package holds
  legal-seed apply <id…>                   apply packages in this order
      --dry-run                            say what would change, change nothing
      --force                              also what was applied before as it is
      --expect-plan-hash <hash>            only if the plan is still that of a dry run
  legal-seed validate <dir>                everything that is wrong with a package
  legal-seed new <package_id>              begin a package
      --dir <dir>                          where; by default seed_packages
  legal-seed build --from <dir> --out <dir>
                                           make a package of a directory of statutes in Markdown
      --package-id <id>                    by default the name of the package's directory
      --kb <name>                          the system base, by default sys_statutes
      --version <YYYY-MM-DD>               by default today

  --json                                   for machines
  --url <address>                          collector-service; COLLECTOR_URL, by default http://127.0.0.1:8086
  --key <key>                              the internal key; INTERNAL_API_KEY, or what npm start keeps

Exit: 0 applied or unchanged, 1 failed, 2 usage.
`

/** What the command line says wrong. */
export class UsageError extends Error {
  override name = 'UsageError'
}
