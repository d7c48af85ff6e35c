/** What a message contains: whether there is text beside HTML, and where its links lead. */
import { canonicalName, organizationalDomain, parseLookupName } from '../protocol/domain-name.ts';
import { parseIp } from '../protocol/ip.ts';
import { ReadingTime } from '../reports/budget.ts';
import { messageParts, PartBudget } from '../reports/message.ts';
import { RefusalError } from '../reports/refusal.ts';

export interface Content {
  readonly hasText: boolean;
  readonly hasHtml: boolean;
  /** The organizational domains of links, in order; at most `MAX_DOMAINS`. */
  readonly linkDomains: readonly string[];
  /** The number of link domains that are not listed. */
  readonly moreDomains: number;
  /** Whether a link leads to an IP address instead of a host name. */
  readonly linksToAddress: boolean;
}

/** Texts come before attachments, so the start of a message contains them. */
const MAX_OCTETS = 2 * 1024 * 1024;
/** Beside the verification of signatures, in milliseconds. */
const READING_MILLISECONDS = 2_000;
/** Each is queried in each list. Real mail rarely links to more than ten domains. */
const MAX_DOMAINS = 20;
/** Links that are read; far more than any mail needs. */
const MAX_LINKS = 1_000;

const LINK = /https?:\/\/[^\s"'<>()\\]{1,2048}/gi;

/** Null if the message is too nested, too slow or too broken to read. */
export async function readContent(message: Uint8Array): Promise<Content | null> {
  const time = new ReadingTime(undefined, READING_MILLISECONDS);
  try {
    return await time.limit(collect(message, time));
  } catch (refusal) {
    if (refusal instanceof RefusalError) return null;
    throw refusal;
  }
}

async function collect(message: Uint8Array, time: ReadingTime): Promise<Content> {
  const hosts = new Set<string>();
  let [hasText, hasHtml, links] = [false, false, 0];
  for await (const { type, fileName, bytes } of messageParts(
    message.subarray(0, MAX_OCTETS),
    new PartBudget(time),
  )) {
    const isHtml = type === 'text/html';
    if (fileName !== '' || !(isHtml || type === 'text/plain' || type === '')) continue;
    if (isHtml) hasHtml = true;
    else hasText = true;
    // Names in links are ASCII, whatever the character set of the text is.
    for (const [link] of Buffer.from(bytes).toString('latin1').matchAll(LINK)) {
      time.check();
      links += 1;
      if (links > MAX_LINKS) break;
      const host = URL.parse(link)?.hostname;
      if (host !== undefined) hosts.add(host);
    }
  }
  const names = [...hosts].filter((host) => !isAddress(host) && parseLookupName(host).ok);
  const domains = [...new Set(names.map((host) => organizationalDomain(canonicalName(host))))];
  return {
    hasText,
    hasHtml,
    linkDomains: domains.slice(0, MAX_DOMAINS),
    moreDomains: Math.max(0, domains.length - MAX_DOMAINS),
    linksToAddress: [...hosts].some(isAddress),
  };
}

function isAddress(host: string): boolean {
  return parseIp(host.replace(/^\[|\]$/g, '')) !== undefined;
}
