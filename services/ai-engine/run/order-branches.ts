import type { Emitter } from './emitter.ts'
import type { NewEvent } from './replay-filter.ts'
import type { EventSink } from './run-attempts.ts'

type HeldEvent = NewEvent & ['token' | 'progress', unknown]

export interface BranchSink extends EventSink {
  /** The branch emits nothing more. */
  end(): void
}

/**
 * Gives each branch of a step its own sink. Events are emitted in the order of the branches: a branch is
 * live when all branches before it have ended; until then its events are held. So the order of events
 * does not depend on the speed of the branches, and a repeated step emits the same sequence. With several
 * branches each event carries the name of its branch in `skill`.
 */
export function orderBranches(emitter: Emitter, names: string[]): BranchSink[] {
  const held = names.map((): HeldEvent[] => [])
  const ended = names.map(() => false)
  let live = 0

  function release() {
    for (const [event, data] of held[live]?.splice(0) ?? []) emitter.emit(event, data)
  }

  return names.map((name, index) => {
    const label: { skill?: string } = names.length > 1 ? { skill: name } : {}
    const isLive = () => index <= live
    return {
      emit(event, data) {
        const labelled = { ...data, ...label }
        if (isLive()) emitter.emit(event, labelled)
        else held[index]!.push([event, labelled])
      },
      discardAttempt() {
        held[index] = []
        if (isLive()) emitter.discardAttempt(label.skill)
      },
      discardText(data) {
        held[index] = held[index]!.filter(
          ([event, held]) => event !== 'token' || held.node !== data.node,
        )
        if (isLive()) emitter.discardText({ ...data, ...label })
      },
      settle: emitter.settle,
      end() {
        ended[index] = true
        while (ended[live]) {
          live++
          release()
        }
      },
    }
  })
}
