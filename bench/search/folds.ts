/** Splits items into folds round-robin, so that adjacent items are spread over all folds. */
export function splitFolds<T>(all: readonly T[], folds: number): { train: T[]; test: T[] }[] {
  return Array.from({ length: folds }, (_, fold) => ({
    train: all.filter((_, index) => index % folds !== fold),
    test: all.filter((_, index) => index % folds === fold),
  }))
}
