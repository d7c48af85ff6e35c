/** Who runs the network of an address, by the files of the operator. */
import type { AddressOwner, IpData } from '../../../protocol/ip-data.ts';
import { dayInWords } from '../../../protocol/time.ts';
import { code } from '../../check-results/text.ts';
import { html, type Markup, visibleStart } from '../../markup.ts';

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** Longer names would push the country out of sight. */
const MAX_NETWORK = 50;

/** `AS64500 Example Networks, Germany`; empty if nothing is known. */
export function ownerText(found: AddressOwner | undefined): Markup {
  if (found === undefined) return html``;
  const { asn, owner, country } = found;
  const network = [asn === null ? '' : `AS${asn}`, owner ?? ''].filter((text) => text !== '').join(' ');
  const place = country === null ? '' : (regions.of(country) ?? country);
  return html`${visibleStart(network, MAX_NETWORK)}${network !== '' && place !== '' ? ', ' : ''}${place}`;
}

/** Where that is from, and of which day; empty without files. */
export function ownerSources({ sources }: Pick<IpData, 'sources'>): Markup {
  if (sources.length === 0) return html``;
  const named = sources.map(
    ({ name, day }, at) => html`${at === 0 ? '' : ', '}${code(name, 60)} of ${dayInWords(day)}`,
  );
  return html`<p class="soft">Networks and countries: ${named}.</p>`;
}
