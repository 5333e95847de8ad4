/** The namespace of operator and suite. */
export const suiteNamespace = () => process.env.TEST_NAMESPACE!

/** The namespace of clients and of the issuer of their tokens. */
export const clientsNamespace = () => `${suiteNamespace()}-clients`
