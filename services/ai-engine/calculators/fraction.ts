const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b))

/** An exact rational number. Money is rounded by `cents` only, where a step ends. */
export class Fraction {
  readonly numerator: bigint
  /** Always positive. */
  readonly denominator: bigint

  constructor(numerator: bigint, denominator = 1n) {
    const sign = denominator < 0n ? -1n : 1n
    const divisor = gcd(numerator < 0n ? -numerator : numerator, denominator * sign) || 1n
    this.numerator = (sign * numerator) / divisor
    this.denominator = (sign * denominator) / divisor
  }

  plus = (other: Fraction) =>
    new Fraction(
      this.numerator * other.denominator + other.numerator * this.denominator,
      this.denominator * other.denominator,
    )

  minus = (other: Fraction) => this.plus(new Fraction(-other.numerator, other.denominator))

  times = (other: Fraction | number) => {
    const factor = fraction(other)
    return new Fraction(this.numerator * factor.numerator, this.denominator * factor.denominator)
  }

  over = (other: Fraction | number) => {
    const divisor = fraction(other)
    return new Fraction(this.numerator * divisor.denominator, this.denominator * divisor.numerator)
  }

  isAbove = (other: Fraction | number) => this.minus(fraction(other)).numerator > 0n

  /** Rounds half up to the cent. */
  cents(): Fraction {
    const twice = this.times(200)
    return new Fraction(floor(twice.numerator + twice.denominator, 2n * twice.denominator), 100n)
  }

  toNumber = () => Number(this.numerator) / Number(this.denominator)
}

const floor = (a: bigint, b: bigint) => (a >= 0n ? a / b : -((-a + b - 1n) / b))

/** Reads a number by its decimal notation: 0.1 is exactly one tenth. */
export function fraction(value: Fraction | number): Fraction {
  if (value instanceof Fraction) return value
  const [mantissa, exponent = '0'] = String(value).split('e')
  const [integer, decimals = ''] = mantissa!.split('.')
  const digits = new Fraction(BigInt(integer! + decimals), 10n ** BigInt(decimals.length))
  const power = 10n ** BigInt(Math.abs(Number(exponent)))
  return Number(exponent) < 0 ? digits.over(new Fraction(power)) : digits.times(new Fraction(power))
}

export const zero = fraction(0)
export const min = (a: Fraction, b: Fraction) => (a.isAbove(b) ? b : a)
export const max = (a: Fraction, b: Fraction) => (a.isAbove(b) ? a : b)
export const sum = (list: readonly Fraction[]) => list.reduce((a, b) => a.plus(b), zero)
