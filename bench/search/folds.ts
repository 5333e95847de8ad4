/** Deals what there is into folds by turns, so that each holds some of every neighbourhood. */
export function foldsOf<T>(all: readonly T[], folds: number): { train: T[]; test: T[] }[] {
  return Array.from({ length: folds }, (_, fold) => ({
    train: all.filter((_, index) => index % folds !== fold),
    test: all.filter((_, index) => index % folds === fold),
  }))
}
