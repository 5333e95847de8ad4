/** Deals what there is into folds by turns, so that each holds some of every neighbourhood. */
export function foldsOf<T>(all: readonly T[], folds: number): { known: T[]; asked: T[] }[] {
  return Array.from({ length: folds }, (_, fold) => ({
    known: all.filter((_, index) => index % folds !== fold),
    asked: all.filter((_, index) => index % folds === fold),
  }))
}
