import type { Rules } from './finding.ts';

const OWN = '<domain>';

/** A fix with the name of each argument in place of its value. */
export function sampleOf(fix: Rules[string]['fix']): string {
  // An array prints like its element, and can be joined like a list. As a name, it is in no domain; `domain` is the owner's.
  const argument = (name: string) => Object.assign([`<${name}>`], { endsWith: () => false });
  const names = new Proxy({}, { get: (_, name) => (name === 'domain' ? OWN : argument(String(name))) });
  return typeof fix === 'string' ? fix : fix(names, { domain: OWN, mailbox: '<mailbox>' });
}
