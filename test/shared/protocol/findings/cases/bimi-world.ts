/** A domain with correct BIMI, and variations of it. */
import { inspectBimi } from '../../../../../shared/checks/bimi/inspect.ts';
import type { BimiResult } from '../../../../../shared/checks/bimi/result.ts';
import { type MarkChain, type MarkPlan, markChain } from '../../../../kit/mark-certificates.ts';
import { type FakePage, type Fault, fakeWeb } from '../../../../kit/web.ts';
import { type ZoneNode, zone } from '../../../../kit/zone.ts';
import { networkOf } from './example.ts';

/** A logo with these parts: attributes of the root, its first elements, and the drawing. */
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
  /** The checked domain; by default example.org, which publishes the records. */
  readonly domain?: string;
  /** The TXT records at default._bimi.example.org, or the failure of their lookup. */
  readonly records?: ZoneNode['TXT'];
  /** The same for _dmarc.example.org. */
  readonly dmarc?: ZoneNode['TXT'];
  /** The body of the logo, or the result of the request for it. */
  readonly logo?: string | Uint8Array;
  readonly logoPage?: FakePage | Fault;
  /** How the mark certificate differs from a correct one. */
  readonly mark?: MarkPlan;
  /** The certificates in the file instead of the whole chain. */
  readonly evidence?: (chain: MarkChain) => readonly string[];
  readonly evidencePage?: FakePage | Fault;
  /** The trusted roots; by default that of the chain. */
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
