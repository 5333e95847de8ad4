// Reads the JSON reports of test runs. Runs on any Node, so that a failed installation can be reported.
//   results.mjs failed-files FILE             files with a failed test; exits with 1 if there are none or many
//   results.mjs summary DIRECTORY NAME...     counts of NAME.json, with the files of NAME-again.json replaced
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const maxFilesAgain = 5
const read = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).testResults : [])
const isFailed = (file) =>
  file.status === 'failed' || file.assertionResults.some((test) => test.status === 'failed')

function failedFiles(path) {
  const files = new Set(
    read(path)
      .filter(isFailed)
      .map((file) => relative('', file.name)),
  )
  if (files.size === 0 || files.size > maxFilesAgain) process.exit(1)
  console.log([...files].join('\n'))
}

function summary(directory, names) {
  const count = { passed: 0, failed: 0, skipped: 0 }
  const unstable = []
  for (const name of names) {
    const first = read(join(directory, `${name}.json`))
    const again = read(join(directory, `${name}-again.json`))
    const repeated = new Set(again.map((file) => file.name))
    for (const file of [...first.filter((file) => !repeated.has(file.name)), ...again]) {
      if (file.status === 'failed' && file.assertionResults.length === 0) count.failed++
      for (const { status } of file.assertionResults) {
        count[status === 'passed' || status === 'failed' ? status : 'skipped']++
      }
    }
    for (const file of first.filter((file) => repeated.has(file.name))) {
      const tests = file.assertionResults.filter((test) => test.status === 'failed')
      unstable.push(...tests.map((test) => `${relative('', file.name)}: ${test.fullName}`))
    }
  }
  for (const test of unstable) console.log(`failed in the first run: ${test}`)
  console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
}

const [command, first, ...rest] = process.argv.slice(2)
if (command === 'failed-files') failedFiles(first)
else summary(first, rest)
