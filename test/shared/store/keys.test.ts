import { expect, test } from '@jest/globals';
import { indexPartitions, partitions } from '../../../shared/store/keys.ts';

test.each([{ partitions }, { indexPartitions }])(
  '%j: no prefix covers the keys of another one',
  (prefixes) => {
    const all: readonly string[] = Object.values(prefixes).flatMap((of) => Object.values(of));
    for (const prefix of all) expect(all.filter((other) => other.startsWith(prefix))).toEqual([prefix]);
  },
);
