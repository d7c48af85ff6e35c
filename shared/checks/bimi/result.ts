import * as z from 'zod/mini';
import { described, several, text } from '../../protocol/schema.ts';
import { isFalse, noText, outcome, record, valid, version } from '../result-fields.ts';

export const bimiResult = z.object({
  selector: described(z._default(text, 'default'), 'The selector', 'default'),
  record: record('BIMI', 'v=BIMI1; l=https://example.org/logo.svg'),
  records: several,
  version: version('BIMI1'),
  location: described(noText, 'The URL of the logo (l=)', 'https://example.org/logo.svg'),
  authority: described(noText, 'The URL of the mark certificate (a=)', null),
  logoFetched: described(isFalse, 'Whether the logo was fetched', true),
  logoValid: described(isFalse, 'Whether the logo is an SVG image as BIMI requires', true),
  logoContentType: described(noText, 'The media type of the logo', 'image/svg+xml'),
  valid,
  ...outcome,
});

export type BimiResult = z.infer<typeof bimiResult>;
