import { expect, test } from '@jest/globals';
import { callerOf } from '../../../shared/network/caller.ts';

test.each([
  ['192.0.2.1', undefined, '192.0.2.1'],
  ['::ffff:192.0.2.1', undefined, '192.0.2.1'],
  ['::ffff:192.0.2.1', 48, '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
  ['2001:db8:1:2:3:4:5:6', 48, '2001:db8:1::/48'],
  ['no address', undefined, 'no address'],
])('%s with a prefix of %s bits is identified as %s', (address, ipv6Length, caller) => {
  expect(callerOf(address, ipv6Length)).toBe(caller);
});
