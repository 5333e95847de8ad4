/** Seed of the property tests. Fixed by default, so that a run can be repeated; `PROPERTY_SEED` sets another. */
export const propertySeed = Number(process.env.PROPERTY_SEED ?? 1)
