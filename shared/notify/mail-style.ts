/** The style of mails, from the tokens of the pages. */
import { colors, fonts, widths } from '../design/tokens.ts';

/**
 * Ground and text have the colors of the mail program, so that its dark mode applies. Many programs know no custom properties
 * and no `rem`, so values are written out.
 */
export const mailStyle = `:root{color-scheme:light dark}body{font:16px/1.5 ${fonts.sans};max-width:${widths.reading.value.replace('rem', 'em')};margin:1em auto;padding:0 1em;overflow-wrap:anywhere}h1{font-size:1.4em}h2{font-size:1.15em;margin:1.8em 0 .4em;padding-top:.8em;border-top:1px solid ${colors.line.light}}h3{font-size:1em;margin:1em 0 0}p{margin:.2em 0}@media (prefers-color-scheme:dark){h2{border-color:${colors.line.dark}}}`;

/** What the head of a mail contains beside its title. */
export const mailHead =
  '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">';
