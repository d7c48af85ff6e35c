/**
 * The script of lists by day in the console: the days of UTC, in which the page has them, become days of the reader's zone. It
 * moves entries, and makes sections of those that exist.
 */
export const readerDays = `
const localDay = (time) => new Date(time.dateTime).toLocaleDateString('sv-SE');
function asReadersDays(parts) {
  // What is left out of a day belongs to a day of UTC.
  if (parts.length === 0 || parts.some((part) => part.querySelector('.note') !== null)) return;
  const entries = parts.flatMap((part) => Array.from(part.querySelector('[data-entries]').children));
  const days = Map.groupBy(entries, (entry) => localDay(entry.querySelector(':scope > span > time')));
  const shell = parts[0].cloneNode(true);
  shell.querySelector('[data-entries]').replaceChildren();
  let last = parts[0].previousElementSibling;
  for (const part of parts) part.remove();
  for (const [day, of] of days) {
    const part = shell.cloneNode(true);
    const heading = part.querySelector('h2');
    heading.id = 'day-' + day;
    part.setAttribute('aria-labelledby', heading.id);
    const time = heading.querySelector('time');
    time.dateTime = day;
    time.removeAttribute('title');
    time.textContent = new Date(day).toLocaleDateString(navigator.language, { ...ofDay, timeZone: 'UTC' });
    heading.querySelector('[data-count]').textContent = of.length;
    heading.querySelector('[data-zone]').hidden = true;
    part.querySelector('[data-entries]').append(...of);
    last.after(part);
    last = part;
  }
}
try {
  asReadersDays(Array.from(document.querySelectorAll('[data-day]')));
} catch {}
`.replaceAll(/\n\s*/g, '\n');
