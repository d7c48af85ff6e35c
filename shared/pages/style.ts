/** The style sheets of pages, for light mode, dark mode, and print. */
import { readFileSync } from 'node:fs';
import { customProperties } from '../design/tokens.ts';

/** Comments, line breaks and indentation are not significant in CSS, nor are spaces around braces and after colons of declarations. */
const joined = (...sheets: readonly string[]): string => {
  const [first = '', ...commented] = sheets.join('').split('/*');
  const uncommented = commented.map((part) => part.slice(part.indexOf('*/') + 2));
  const lines = [first, ...uncommented].join('').replaceAll(/\n\s*/g, '');
  return lines.replaceAll(': ', ':').replaceAll(' {', '{').replaceAll(';}', '}');
};

/** The style sheet of every page. */
export const style = joined(
  customProperties(),
  readFileSync(new URL('./styles/base.css', import.meta.url), 'utf8'),
  readFileSync(new URL('./styles/result.css', import.meta.url), 'utf8'),
  readFileSync(new URL('./styles/record.css', import.meta.url), 'utf8'),
  readFileSync(new URL('./styles/print.css', import.meta.url), 'utf8'),
);

/** The additional style sheet of a mail test. */
export const mailTestStyle = joined(readFileSync(new URL('./styles/mail-test.css', import.meta.url), 'utf8'));

/** The additional styles of pictures (`shared/pages/charts`). */
const chartStyle = joined(readFileSync(new URL('./styles/charts.css', import.meta.url), 'utf8'));

/** The styles of the checks of a domain (`shared/pages/checks`). */
const checksStyle = joined(readFileSync(new URL('./styles/checks.css', import.meta.url), 'utf8'));

/** The additional styles of the pages about one domain in the console (`shared/pages/console/domain`). */
export const domainStyle = joined(
  chartStyle,
  checksStyle,
  readFileSync(new URL('./styles/domain.css', import.meta.url), 'utf8'),
);

/** The additional styles of the pages about all domains in the console. */
export const workplaceStyle = `${domainStyle}${joined(readFileSync(new URL('./styles/workplace.css', import.meta.url), 'utf8'))}`;

/** The additional styles of the check of any domain (`shared/pages/check`). */
export const domainCheckStyle = joined(
  checksStyle,
  readFileSync(new URL('./styles/check.css', import.meta.url), 'utf8'),
);

/** Styles that only the API reference needs. */
export const referenceStyle = joined(
  readFileSync(new URL('./styles/reference.css', import.meta.url), 'utf8'),
);
