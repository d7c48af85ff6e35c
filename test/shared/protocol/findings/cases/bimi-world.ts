/** A domain whose BIMI is in order, and how it may differ from that. */
import { inspectBimi } from '../../../../../shared/checks/bimi.ts';
import type { BimiResult } from '../../../../../shared/checks/results.ts';
import { type MarkChain, type MarkPlan, markChain } from '../../../../kit/mark-certificates.ts';
import { type FakePage, type Fault, fakeWeb } from '../../../../kit/web.ts';
import { type ZoneNode, zone } from '../../../../kit/zone.ts';
import { networkOf } from './example.ts';

/** A logo of these parts: attributes of the root, what comes first in it, and the drawing. */
export function logoOf({
  root = 'version="1.2" baseProfile="tiny-ps" viewBox="0 0 9 9"',
  xmlns = 'http://www.w3.org/2000/svg',
  title = '<title>Example</title>',
  description = '<desc>A circle</desc>',
  drawing = '<circle r="9"/>',
} = {}): string {
  return `<svg xmlns="${xmlns}" ${root}>${title}${description}${drawing}</svg>`;
}

const LOGO = logoOf();
const LOGO_URL = 'https://example.org/logo.svg';
const MARK_URL = 'https://example.org/mark.pem';
const good = markChain({ logo: LOGO });

export interface BimiInput {
  /** The domain looked at; example.org, where the records stand, unless told. */
  readonly domain?: string;
  /** The TXT records at default._bimi.example.org, or why they cannot be looked up. */
  readonly records?: ZoneNode['TXT'];
  /** The same for _dmarc.example.org. */
  readonly dmarc?: ZoneNode['TXT'];
  /** The body of the logo, or the answer of its host. */
  readonly logo?: string | Uint8Array;
  readonly logoPage?: FakePage | Fault;
  /** How the mark certificate differs from one in order. */
  readonly mark?: MarkPlan;
  /** The file of the certificate in place of the whole chain. */
  readonly evidence?: (chain: MarkChain) => readonly string[];
  readonly evidencePage?: FakePage | Fault;
  /** The roots that are trusted; that of the chain unless told. */
  readonly anchors?: readonly string[];
}

export function inspectBimiOf(input: BimiInput): Promise<BimiResult> {
  const { records = [`v=BIMI1; l=${LOGO_URL}; a=${MARK_URL}`], dmarc = ['v=DMARC1; p=reject'] } = input;
  const { domain = 'example.org', logo = LOGO, evidence = Object.values } = input;
  const chain = input.mark === undefined ? good : markChain({ logo: LOGO, ...input.mark });

  const pages: Record<string, FakePage | Fault> = {
    [LOGO_URL]: input.logoPage ?? { type: 'image/svg+xml', body: logo },
    [MARK_URL]: input.evidencePage ?? { body: evidence(chain).join('') },
  };
  const dns = zone({ 'default._bimi.example.org': { TXT: records }, '_dmarc.example.org': { TXT: dmarc } });
  const anchors = input.anchors ?? [chain.root];
  return inspectBimi(domain, networkOf({ dns, web: fakeWeb(pages) }), { anchors });
}
