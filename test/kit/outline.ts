/**
 * Markup as an outline that people read, which is how outputs of pages are recorded: an element a line, indented, with the
 * attributes that matter. Rows of tables and lists to choose from are one line, and what a chart repeats in words is left out.
 */

const inline = new Set('a abbr b br code em i kbd small span strong sup text time title wbr'.split(' '));
const empty = new Set('input link meta'.split(' '));
/** Everything in them is on their line. */
const single = new Set(['tr', 'select', 'datalist']);
/** Without attributes, they say nothing. */
const plain = new Set(['div', 'thead', 'tbody']);

/** What is the same everywhere. */
const CONSTANT =
  / (?:tabindex="0"|autocapitalize="none"|spellcheck="false"|autocomplete="off"|scope="\w+"|aria-hidden="true"|data-busy="[^"]*"|type="hidden"|method="post"|role="region"|data-unit="(?!domain)\w+"|class="(?:hush|soft|(?:(?:num|did|next|late|mid|decision) ?)+)")/g;
const TOKEN_FIELD = /<input type="hidden" name="formToken" value="[^"]*">/g;
const REPEATED =
  /<defs>.*?<\/defs>|<g class="grid".*?<\/g>|<rect class="hit".*?<\/rect>|<svg class="sample".*?<\/svg>|<p class="actions"><button type="button" class="small" data-keys .*<\/dialog>/gs;
/** Where a text is cut is easier to see in a number. */
const LONG = /(\w)\1{19,}/g;
const TOKEN = /<(\/?)([a-z]\w*)([^>]*)>|[^<]+/gi;

/** @param markup A document, of which the main part is shown, or a part of one. */
export function outlineOf(markup: { toString(): string }): string {
  const whole = String(markup).replaceAll(REPEATED, '').replaceAll(TOKEN_FIELD, '(token) ');
  const main = /<main[^>]*>(.*)<\/main>/s.exec(whole)?.[1] ?? whole;
  const found: string[] = [];
  /** Of the open elements: whether each has a line. */
  const open: boolean[] = [];
  let [line, depth, within] = ['', 0, ''];
  const add = (text: string) => {
    if (line === '') depth = open.filter(Boolean).length;
    line += text;
  };
  const end = () => {
    const text = line
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replaceAll(LONG, (run) => `${run[0]}×${run.length}`);
    if (text !== '') found.push(`${'  '.repeat(depth)}${text}`);
    line = '';
  };
  for (const [token, slash, name = '', rest = ''] of main.matchAll(TOKEN)) {
    const attributes = rest.replaceAll(CONSTANT, '').replace(/ ?\/$/, '');
    if (name === '') add(token);
    else if (within !== '' && slash !== '') {
      if (name === within) end();
      if (name === within) within = '';
      else if (!/^(?:t[dh]|option)$/.test(name)) add(`</${name}>`);
    } else if (within !== '') add(inSingle(name, attributes));
    else if (inline.has(name)) add(`<${slash}${name}${attributes}>`);
    else if (name === 'dt') slash === '' && add('');
    else if (slash !== '') {
      end();
      open.pop();
    } else if (name === 'dd') {
      add(': ');
      open.push(true);
    } else {
      end();
      const isShown = !plain.has(name) || attributes !== '';
      if (isShown) add(`${head(name, attributes)} `);
      if (single.has(name)) within = name;
      else if (empty.has(name) || rest.endsWith('/')) end();
      else open.push(isShown);
    }
  }
  end();
  return `\n${found.join('\n')}\n`;
}

/** The title of a document, and its main part. */
export const outlineOfPage = (page: string): string =>
  `${/<title>(.*?)<\/title>/.exec(page)?.[1] ?? ''}${outlineOf(page)}`;

function inSingle(name: string, attributes: string): string {
  if (name === 'option')
    return ` ${attributes.endsWith(' selected') ? '*' : ''}${/"(.*)"/.exec(attributes)?.[1] ?? ''}: `;
  return /^t[dh]$/.test(name) ? ` |${attributes} ` : `<${name}${attributes}>`;
}

/** `h2#fix.open[href=/]`. */
function head(name: string, attributes: string): string {
  const others = attributes
    .replace(/ id="([^"]*)"/, '')
    .replace(/ class="([^"]*)"/, '')
    .trim();
  const id = / id="([^"]*)"/.exec(attributes)?.[1];
  const style = / class="([^"]*)"/.exec(attributes)?.[1];
  return `${name}${id === undefined ? '' : `#${id}`}${style === undefined ? '' : `.${style.trim().replaceAll(/ +/g, '.')}`}${others === '' ? '' : `[${others.replaceAll('"', '')}]`}`;
}
