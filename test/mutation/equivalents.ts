/**
 * Changes that cannot be noticed, because the program does the same with them. `line` is the text of the line where the change
 * begins, and `change` what `npm run mutate` prints.
 */
export const equivalents: readonly {
  readonly file: string;
  readonly line: string;
  readonly change: string;
  readonly reason: string;
}[] = [
  {
    file: 'shared/enforcement/step-loss.ts',
    line: 'export const STEP_WINDOW_DAYS = WATCHED_DAYS + WINDOW_DAYS + 1;',
    change: '1 -> 2',
    reason: 'One more day is read, which nothing is compared with.',
  },
  {
    file: 'shared/enforcement/organization-sums.ts',
    line: 'lastSeen: known !== undefined && known.lastSeen > lastSeen ? known.lastSeen : lastSeen,',
    change: '> -> >=',
    reason: 'Either of two equal days is the same.',
  },
  {
    file: 'shared/checks/spf/inspect.ts',
    line: "const set = { name: canonicalName(domain), type: 'TXT', ttl: 0, values: [record] } as const;",
    change: '0 -> 1',
    reason: 'Nothing is kept of the answer, only of the lookups that the record needs.',
  },
  {
    file: 'shared/checks/recording/recorded.ts',
    line: 'const printable = content.filter((octet) => (octet >= 0x20 && octet < 0x7f) || octet === 0x0a);',
    change: '0x0a -> 11',
    reason: 'Octets are read the same however they are written; only the size differs.',
  },
  {
    file: 'shared/checks/recording/recorded.ts',
    line: 'return printable.length * 5 >= content.length * 4;',
    change: '>= -> >',
    reason: 'Octets are read the same however they are written; only the size differs.',
  },
  {
    file: 'shared/protocol/dnssec/type-bitmap.ts',
    line: 'const [window = 0, length = 0] = bitmaps.subarray(at, at + 2);',
    change: '0 -> 1',
    reason:
      'There is always a first octet, and a window without a second one ends beyond the others, whatever its length.',
  },
  {
    file: 'shared/protocol/wire-name.ts',
    line: 'const digits = /^\\d{3}/.exec(String.fromCharCode(...octets.subarray(index + 1, index + 4)))?.[0];',
    change: '4 -> 5',
    reason: 'Only the first three characters count.',
  },
  {
    file: 'shared/protocol/wire-name.ts',
    line: 'const value = octets[index] ?? 0;',
    change: '0 -> 1',
    reason: 'There is an octet at each index.',
  },
  {
    file: 'shared/protocol/spf/diagnose.ts',
    line: "findings.push(raise('spf-syntax', { ...place, at: term.at ?? 0, fault: FAULTS[term.fault] }));",
    change: '0 -> 1',
    reason: 'A term with a fault has its offset.',
  },
  {
    file: 'shared/store/domains/directory-rows.ts',
    line: "const [first = 0, second = 0] = createHash('sha256').update(id).digest();",
    change: '0 -> 1',
    reason: 'A digest has both octets.',
  },
  {
    file: 'shared/network/dns-answer.ts',
    line: 'if (first === undefined) return [];',
    change: 'first === undefined -> false',
    reason: 'A group has a record.',
  },
  {
    file: 'shared/network/dns-rdata.ts',
    line: 'AAAA: (rdata) => formatIp({ family: 6, value: numberIn(exactly(rdata, 16)) }),',
    change: '6 -> 7',
    reason: 'Only 4 is another family; the compiler accepts no 7.',
  },
  {
    file: 'shared/reports/dmarc/summary/encoding.ts',
    line: 'if (best.encoded.length > most) return best;',
    change: 'best.encoded.length > most -> false',
    reason: 'Then no trial is small enough, and the best stays what it is; it only takes longer.',
  },
  {
    file: 'shared/checks/dnssec/inspect.ts',
    line: "(answer) => (answer.status === 'absent' ? (answer.denial?.sets ?? []) : []),",
    change: "answer.status === 'absent' -> true",
    reason: 'Other answers have no denial.',
  },
  {
    file: 'shared/store/reports/rows.ts',
    line: 'let room = 0;',
    change: '0 -> 1',
    reason: 'A piece has more than one octet.',
  },
  {
    file: 'shared/store/fetched-mailboxes.ts',
    line: 'new Date(Math.max(now.getTime(), before === null ? 0 : Date.parse(before) + 1)).toISOString();',
    change: '0 -> 1',
    reason: 'The present time is later.',
  },
  {
    file: 'shared/enforcement/simulate.ts',
    line: 'if (!(before instanceof Promise) && !(after instanceof Promise))',
    change: '!(before instanceof Promise) && !(after instanceof Promise) -> false',
    reason: 'The result is the same; that it needs no promise saves time.',
  },
  {
    file: 'shared/monitoring/registrations.ts',
    line: 'if (domains.size < MOST_REFUSALS) domains.add(domain);',
    change: 'domains.size < MOST_REFUSALS -> true',
    reason: 'More refusals than these change nothing; the limit saves memory.',
  },
  {
    file: 'shared/views/domain-list.ts',
    line: 'for (const { tags } of rows) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);',
    change: '1 -> 2',
    reason: 'Only the order of the counts matters.',
  },
  {
    file: 'shared/fixes/plan.ts',
    line: '[after.dmarc.effectivePolicy, after.dmarc.subdomainPolicy, after.dmarc.nonexistentSubdomainPolicy].every(',
    change: 'every -> some',
    reason: 'The rules of safe changes keep each policy themselves; this stops one that would not.',
  },
];
