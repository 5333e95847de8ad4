import * as z from 'zod'
import { ok } from '../_kit/endpoint.ts'
import { invalid, notFound } from '../_kit/fault.ts'
import { JsonObject } from '../_kit/fields.ts'
import { calculators as all } from './calculators/all.ts'
import type { Calculator } from './calculators/calculator.ts'
import { today } from './calculators/days.ts'
import { get, post } from './deps.ts'

const Title = z.object({ zh: z.string(), en: z.string() })
const Article = z.object({ law: z.string(), article: z.string() })
const Table = z.object({
  name: z.string(),
  source: z.string(),
  through: z.iso.date().describe('Last day that the table covers.'),
})
const Step = z
  .object({
    title: Title,
    articles: z.array(Article),
    formula: z.string(),
    inputs: JsonObject,
    result: z.unknown(),
  })
  .meta({ id: 'CalculationStep' })

const CalculatorInfo = z
  .object({
    id: z.string(),
    title: Title,
    inputs: JsonObject.describe('JSON Schema of the inputs.'),
    articles: z.array(Article),
    tables: z.array(Table),
  })
  .meta({ id: 'Calculator' })

const Calculation = z
  .object({
    calculator: z.string(),
    as_of: z.iso.date(),
    result: JsonObject,
    steps: z.array(Step),
    alternatives: z
      .array(z.object({ label: Title, result: JsonObject, steps: z.array(Step) }))
      .describe('Other readings of the law, where courts differ.'),
    tables: z.array(Table),
  })
  .meta({ id: 'Calculation' })

const ById = z.object({ id: z.string().max(60) })

export const calculators = [
  get(
    '/api/v1/internal/ai/calculators',
    {
      summary: 'List calculators',
      responses: { 200: z.object({ calculators: z.array(CalculatorInfo) }) },
    },
    async (c) => ok(c, { calculators: all.map(describe) }),
  ),

  get(
    '/api/v1/internal/ai/calculators/:id',
    { summary: 'Get a calculator', params: ById, responses: { 200: CalculatorInfo } },
    async (c, { params }) => ok(c, describe(find(params.id))),
  ),

  post(
    '/api/v1/internal/ai/calculators/:id',
    {
      summary: 'Calculate',
      description: 'The inputs follow the JSON Schema of the calculator.',
      params: ById,
      body: JsonObject,
      responses: { 200: Calculation },
      faults: ['RATE_TABLE_ENDS'],
    },
    async (c, { params, body }) => {
      const calculator = find(params.id)
      const { alternatives = [], ...outcome } = calculator.calculate(parseInputs(calculator, body))
      const { id, tables } = calculator
      return ok(c, { calculator: id, as_of: today(), ...outcome, alternatives, tables })
    },
  ),
]

function find(id: string): Calculator {
  const calculator = all.find((each) => each.id === id)
  if (!calculator) throw notFound(`calculator ${id}`)
  return calculator
}

function parseInputs({ inputs }: Calculator, body: unknown): unknown {
  const parsed = inputs.safeParse(body)
  if (parsed.success) return parsed.data
  throw invalid(
    parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({
            path: [...issue.path, key].join('.'),
            message: 'Unknown input.',
          }))
        : [{ path: issue.path.join('.'), message: issue.message }],
    ),
  )
}

const describe = ({ id, title, inputs, articles, tables }: Calculator) => ({
  id,
  title,
  inputs: z.toJSONSchema(inputs, { io: 'input' }),
  articles,
  tables,
})
