import { globSync } from 'node:fs'
import { join } from 'node:path'
import { productionPackages } from './production-packages.ts'

/** Files of the image that change together, as paths relative to the repository. */
export interface Layer {
  name: 'ocr' | 'fonts' | 'dependencies' | 'application'
  files: string[]
}

const fonts = 'node_modules/@expo-google-fonts/noto-serif-sc'
const ocr = 'node_modules/@tesseract.js-data'

/** Language data and fonts that the services read. The packages contain other variants. */
const ocrFiles = ['chi_sim', 'eng'].flatMap((language) => [
  `${ocr}/${language}/package.json`,
  `${ocr}/${language}/4.0.0_best_int/${language}.traineddata.gz`,
])
const fontFiles = [
  `${fonts}/package.json`,
  `${fonts}/LICENSE_FONT`,
  `${fonts}/400Regular/NotoSerifSC_400Regular.ttf`,
  `${fonts}/700Bold/NotoSerifSC_700Bold.ttf`,
]

/** Files of packages that no process reads: types, source maps, documents, bundles for browsers. */
const unusedInPackages = [
  /\.(map|md|markdown|ts|mts|cts|flow|png|html|tsbuildinfo|ya?ml)$/,
  /\.(umd|iife)\.(c|m)?js$/,
  /\/tesseract\.js-core\/.*(-lstm|\.wasm\.js)/,
  /\/tesseract\.js\/(dist|docs)\//,
  /\/\.[^/]+(\/|$)/,
  /\/(test|tests|__tests__|examples?|benchmarks?)\//,
]

/** Sources that the processes of the image do not run. */
const unusedSources = [
  /\.test\.ts$/,
  /\/testing(\/|\.ts$)/,
  // The single process with the embedded database, and the bundler.
  /^services\/_run\/(all|data|lock|build)\.ts$/,
  /^services\/_run\/start\.js$/,
  /^services\/_kit\/sql\/pglite\.ts$/,
  // Sources of the web console, which is built.
  /^services\/gateway\/console\/(?!serve\.ts$|files\.node\.ts$)/,
]

const roots = ['package.json', 'LICENSE', 'deno.json', 'dist/operator.mjs', 'dist/sbom.cdx.json']
const sources = [
  'services/**/*.{ts,js,sql,json,md}',
  'seed_packages/**/*.{json,jsonl,md}',
  'dist/console/*',
]

/** The layers in the order of the image: what changes rarely comes first. */
export function imageLayers(repository: string): Layer[] {
  const list = (pattern: string) => globSync(pattern, { cwd: repository, withFileTypes: true })
  const find = (pattern: string) =>
    list(pattern)
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(repository.length + 1))
  const packages = productionPackages(join(repository, 'package-lock.json'))
  const dependencies = packages
    .filter((folder) => !folder.startsWith(ocr) && folder !== fonts)
    .flatMap((folder) =>
      find(`${folder}/**/*`).filter(
        (file) =>
          !file.slice(folder.length).includes('/node_modules/') &&
          !unusedInPackages.some((pattern) => pattern.test(file)),
      ),
    )
  const application = [...roots, ...sources.flatMap(find)].filter(
    (file) => !unusedSources.some((pattern) => pattern.test(file)),
  )
  return [
    { name: 'ocr', files: ocrFiles },
    { name: 'fonts', files: fontFiles },
    { name: 'dependencies', files: dependencies.sort() },
    { name: 'application', files: application.sort() },
  ]
}
