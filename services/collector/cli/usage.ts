export const usage = `legal-seed: seed packages of the legal suite

  legal-seed list                          list packages and their status
  legal-seed manifest <id>                 print the manifest of a package
  legal-seed apply <id…>                   apply packages in the given order
      --dry-run                            print the plan without changing anything
      --force                              apply packages again that are unchanged
      --expect-plan-hash <hash>            fail if the plan changed since the dry run
  legal-seed validate <dir>                list all issues of a package
  legal-seed new <package_id>              create a package
      --dir <dir>                          parent directory, default seed_packages
  legal-seed build --from <dir or file> --out <dir>
                                           build a package from laws in Markdown or JSON lines
      --package-id <id>                    default: the name of the output directory
      --kb <name>                          system base, default sys_statutes
      --version <YYYY-MM-DD>               default: today

  --json                                   print JSON
  --url <address>                          URL of collector-service, default COLLECTOR_URL or http://127.0.0.1:8086
  --key <key>                              internal key, default INTERNAL_API_KEY or the key of npm start

Exit: 0 applied or unchanged, 1 failed, 2 usage.
`

/** Invalid command line. */
export class UsageError extends Error {
  override name = 'UsageError'
}
