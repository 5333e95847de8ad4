import { expect, test } from 'vitest'
import { LeaseLost } from '../store/lease.ts'
import { trackRun } from './track-run.ts'

function track() {
  const activeRuns = new Map<string, AbortController>()
  const calls: string[] = []
  const hub = {
    begin: (run_id: string) => void calls.push(`begin ${run_id}`),
    end: (run_id: string) => void calls.push(`end ${run_id}`),
  }
  const start = () => {
    const stop = new AbortController()
    return { stop, end: trackRun(activeRuns, hub, 'r', stop) }
  }
  return { activeRuns, calls, start }
}

test('a run is active until its attempt ends', () => {
  const { activeRuns, calls, start } = track()
  const { stop, end } = start()
  expect(activeRuns.get('r')).toBe(stop)
  end()
  expect(activeRuns.size).toBe(0)
  expect(calls).toEqual(['begin r', 'end r'])
})

test('a run that its own process takes over stays active when the earlier attempt ends', () => {
  const { activeRuns, calls, start } = track()
  const first = start()
  const second = start()
  expect(first.stop.signal.reason).toBeInstanceOf(LeaseLost)
  expect(second.stop.signal.aborted).toBe(false)
  first.end()
  expect(activeRuns.get('r')).toBe(second.stop)
  expect(calls).not.toContain('end r')
  second.end()
  expect(activeRuns.size).toBe(0)
  expect(calls.at(-1)).toBe('end r')
})
