import { describe, expect, test } from 'vitest'
import { blockedAddressReason, FetchError, literalAddress, parseUrl } from './address.ts'

describe('an address', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.0.1', 'private'],
    ['169.254.169.254', 'linkLocal'],
    ['100.64.0.1', 'carrierGradeNat'],
    ['100.127.255.255', 'carrierGradeNat'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['240.0.0.1', 'reserved'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a00:1', 'private'],
    ['::ffff:169.254.169.254', 'linkLocal'],
    ['::127.0.0.1', 'loopback'],
    ['::5:6:7:8', 'reserved'],
    ['64:ff9b::7f00:1', 'rfc6052'],
    ['64:ff9b::a9fe:a9fe', 'rfc6052'],
    ['64:ff9b:1::1', 'rfc6052'],
    ['2002:7f00:1::', '6to4'],
    ['2001:0:7f00:1::', 'teredo'],
    ['2001:db8::1', 'reserved'],
    ['fe80::1', 'linkLocal'],
    ['fe80::1%eth0', 'linkLocal'],
    ['fec0::1', 'deprecatedSiteLocal'],
    ['fc00::1', 'uniqueLocal'],
    ['fd12:3456::1', 'uniqueLocal'],
    ['ff02::1', 'multicast'],
    ['nonsense', 'not an address'],
    ['', 'not an address'],
  ])('the address %s is blocked: %s', (address, fault) => {
    expect(blockedAddressReason(address)).toBe(fault)
  })

  test.each([
    '8.8.8.8',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
  ])('the address %s is allowed', (address) => {
    expect(blockedAddressReason(address)).toBeNull()
  })
})

describe('a URL', () => {
  test.each([
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://127。0。0。1/', '127.0.0.1'],
    ['http://①②⑦.0.0.1/', '127.0.0.1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://[::1]:8080/', '::1'],
    ['https://3232235777/x', '192.168.1.1'],
    ['http://0/', '0.0.0.0'],
  ])('the URL %s is parsed as the blocked address %s', (text, address) => {
    const literal = literalAddress(parseUrl(text))
    expect(literal).toBe(address)
    expect(blockedAddressReason(literal!)).not.toBeNull()
  })

  test.each([
    'ftp://example.org/',
    'file:///etc/passwd',
    'data:text/html,x',
    'javascript:1',
    'gopher://example.org/',
    'http://user:pass@example.org/',
    'http://user@example.org/',
    'http://',
    'nothing',
    'http://1.2.3.4.5/',
    'http://256.1.1.1/',
  ])('the URL %s is rejected', (text) => {
    expect(() => parseUrl(text)).toThrow(FetchError)
  })

  test('a URL is resolved against the URL that redirected to it', () => {
    const base = new URL('https://example.org/a/b')
    expect(parseUrl('../c#part', base).href).toBe('https://example.org/c')
    expect(() => parseUrl('file:///etc/passwd', base)).toThrow(FetchError)
  })
})
