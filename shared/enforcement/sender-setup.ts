/**
 * How to set a sender up so that its mail passes DMARC: DKIM or SPF has to pass for a domain that aligns with the one in the
 * From header (RFC 9989 section 4.4). DKIM comes first, because it survives forwarding.
 */
import { isWithin } from '../protocol/domain-name.ts';
import { includeOf } from '../protocol/providers.ts';
import type { SenderDetails } from './sender-details.ts';
import { isOtherCustomers } from './sender-fields.ts';
import type { Sender } from './shapes.ts';

/** Something to set up. */
export interface SetupStep {
  readonly title: string;
  /** What to do, in sentences; what reports show, if it is done. */
  readonly text: string;
  /** Whether reports show that it is done, for all messages. */
  readonly done: boolean;
}

type Reported = Pick<Sender, 'id' | 'name' | 'kind' | 'status' | 'messages' | 'dkimAligned' | 'spfAligned'>;

/** What to do about a sender whose mail should not pass, or that needs nothing. Undefined for the others. */
export function nothingToSetUp({ id, name, status }: Reported, domain: string): string | undefined {
  if (status === 'unauthorized')
    return `You marked this sender as unauthorized. Give it no DKIM key, and do not authorize it in the SPF record of ${domain}: with p=quarantine or p=reject, receivers are asked not to deliver its mail.`;
  if (status === 'forwarder')
    return `A forwarder passes on mail of others. Do not authorize it in the SPF record of ${domain}: everybody whose mail it forwards could then pass as you. Its mail passes if your senders sign with DKIM and it does not change what they signed.`;
  if (isOtherCustomers(id))
    return `Every customer of the provider can send this. If mail of yours is among it, have the provider sign it with DKIM in the name of ${domain}: from then on, reports show it as ${name.replace(/, other customers$/, '')}. Do nothing about the rest.`;
  return undefined;
}

/** The steps for a sender that may send as `domain`, the most important first. */
export function setupOf(
  sender: Reported,
  { envelopes }: Pick<SenderDetails, 'envelopes'>,
  domain: string,
): readonly SetupStep[] {
  return [dkimStep(sender, domain), spfStep(sender, envelopes, domain)];
}

function dkimStep({ name, kind, messages, dkimAligned }: Reported, domain: string): SetupStep {
  const title = `Sign with DKIM in the name of ${domain}`;
  if (dkimAligned === messages) return { title, done: true, text: 'All of its mail does.' };
  const partly = dkimAligned > 0 ? 'Some of its mail is signed like that, and some is not. ' : '';
  return {
    ...{ title, done: false },
    text:
      kind === 'network'
        ? `${partly}If this is a mail server of yours, or of a service that you use, let it sign, and publish its key under _domainkey.${domain}.`
        : `${partly}In the settings of ${name}, authenticate the domain ${domain}. The service then shows records to publish under _domainkey.${domain}, and signs once they are there.`,
  };
}

/** SPF is evaluated for the domain in MAIL FROM only (RFC 7208 section 2.4), so a record elsewhere has no effect. */
function spfStep(
  { name, kind, messages, spfAligned }: Reported,
  envelopes: SenderDetails['envelopes'],
  domain: string,
): SetupStep {
  const title = `Use ${domain} or a subdomain in MAIL FROM, and authorize the sender there with SPF`;
  if (spfAligned === messages) return { title, done: true, text: 'All of its mail does.' };
  const own = envelopes.find(({ name: envelope }) => isWithin(envelope, domain))?.name;
  if (own === undefined)
    return {
      ...{ title, done: false },
      text: `Its MAIL FROM domain is ${envelopes[0]?.name ?? 'not known'}, so receivers do not read the SPF record of ${domain}: an include there changes nothing and costs lookups. If the service offers it, set a subdomain of ${domain} as MAIL FROM (return path, bounce domain). With DKIM as above, this is optional.`,
    };
  const include = kind === 'provider' ? includeOf(name) : undefined;
  const how =
    include === undefined
      ? 'authorize the addresses of the sender, and no more than these'
      : `add include:${include} before the last term`;
  return {
    ...{ title, done: false },
    text: `Some of its mail has ${own} in MAIL FROM. In the SPF record of ${own}, ${how}. Preview the record first: one that needs more than ten lookups fails for all senders.`,
  };
}
