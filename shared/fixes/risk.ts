/** In which order to fix things: by what can happen meanwhile, and not by how easy it is. */

/**
 * What a finding puts at risk, the worst first. A pattern matches the beginning of its ID, and the first one that matches
 * decides.
 */
const ranks: readonly (readonly string[])[] = [
  // Somebody else can take over mail, or pass as the domain.
  [
    ...['mx-no-such-domain', 'mx-dangling', 'unowned-', 'dkim-dangling-alias'],
    ...['spf-pass-all', 'spf-exists-for-everyone', 'zone-servers-lame'],
  ],
  // Mail is read on its way, or does not arrive.
  ['mx-no-starttls', 'mx-starttls-failed', 'mx-tls-weak', 'mx-none-accepts', 'mx-denied'],
  // Forged mail is delivered.
  [
    ...['dmarc-missing', 'dmarc-multiple-records', 'dmarc-void-record', 'dmarc-not-applied'],
    ...['dmarc-invalid-value', 'dmarc-monitoring-only', 'dmarc-testing', 'dmarc-partial', 'dmarc-weaker'],
  ],
  // Signatures can be forged.
  ['dkim-key-too-short', 'dkim-key-short'],
  // Legitimate mail fails.
  ['spf-', 'dkim-', 'mx-'],
  ['dmarc-'],
  // What only an attacker in the network can use.
  ['mta-sts-', 'dnssec-', 'zone-'],
  ['tls-rpt-', 'caa-', 'bimi-'],
];

/** The place of a fix in the order of risk, 0 for the greatest. @param resolves The IDs of the findings that it resolves. */
export function riskOf(resolves: readonly string[]): number {
  const places = resolves.map((id) => {
    const at = ranks.findIndex((starts) => starts.some((start) => id.startsWith(start)));
    return at === -1 ? ranks.length : at;
  });
  return Math.min(ranks.length, ...places);
}
