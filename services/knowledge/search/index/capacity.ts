/** Capacity for `count` elements with a reserve, so that not every write reallocates. */
export const grownCapacity = (count: number) => 64 + Math.ceil(count * 1.1)
