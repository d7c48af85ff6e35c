/** What a check run is about, beside the network: the domain, and what is known of it. */
import type { ServedHosts } from '../protocol/served-chain.ts';
import type { DkimHistory } from './dkim/history.ts';
import type { OnTlsa } from './mx/rollover.ts';

export interface DomainToCheck {
  readonly domain: string;
  /** Local part of a mailbox to test with RCPT TO; null if there is none. */
  readonly testEmailLocalPart: string | null;
  /** DKIM selectors that the owner named. */
  readonly dkimSelectors?: readonly string[];
  /** DKIM selectors known from earlier checks, reports and mail tests. */
  readonly knownSelectors: readonly string[];
  /** What the MX hosts served in earlier check runs. */
  readonly servedChains?: ServedHosts | undefined;
  readonly onTlsa?: OnTlsa;
  /** What earlier check runs and reports say about DKIM keys. */
  readonly dkimHistory?: DkimHistory | undefined;
  /** The email address at which the service receives reports for the domain, if it does. */
  readonly reportMailbox?: string;
}
