/**
 * The script of all pages. Every page works without it: controls that need it stay hidden until it runs. It never
 * writes markup: what it puts in place of a page that waits was parsed by the browser, which runs no script in it. Times in
 * UTC become times of the reader's zone; days stay days of UTC, which is what reports are about.
 */
export const script = `
const said = document.getElementById('said');
function canCopy(button) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const source = document.getElementById(button.dataset.copy);
    const text = source === null ? location.href : Array.from(source.querySelectorAll('code'), (line) => line.textContent).join('\\n');
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
      button.focus();
    }
    button.textContent = 'Copied';
    said.textContent = 'Copied to the clipboard';
    setTimeout(() => { button.textContent = label; said.textContent = ''; }, 2000);
  });
}
function saysItIsBusy(form) {
  const buttons = Array.from(form.elements).filter((one) => one.tagName === 'BUTTON');
  const labels = new Map(buttons.map((button) => [button, button.textContent]));
  form.addEventListener('submit', (event) => {
    if (buttons.some((one) => one.hasAttribute('aria-disabled'))) return event.preventDefault();
    const button = event.submitter ?? buttons[0];
    // A download leaves the page as it is.
    if (button.dataset.busy === undefined) return;
    button.textContent = button.dataset.busy;
    button.setAttribute('aria-disabled', 'true');
    said.textContent = button.dataset.busy;
  });
  addEventListener('pageshow', () => {
    for (const [button, label] of labels) {
      button.textContent = label;
      button.removeAttribute('aria-disabled');
    }
  });
}
const ofDay = { day: 'numeric', month: 'short', year: 'numeric' };
const ofTime = { ...ofDay, hour: '2-digit', minute: '2-digit', timeZoneName: 'short' };
function inReadersWords(time) {
  const at = new Date(time.dateTime);
  if (Number.isNaN(at.getTime())) return;
  const isDay = !time.dateTime.includes('T');
  let words;
  try {
    words = at.toLocaleString(navigator.language, isDay ? { ...ofDay, timeZone: 'UTC' } : ofTime);
  } catch {
    return;
  }
  time.title = isDay ? time.textContent + ' UTC' : time.textContent;
  time.lang = navigator.language;
  time.dir = 'auto';
  time.textContent = words;
}
function prepare(part) {
  for (const time of part.querySelectorAll('time')) inReadersWords(time);
  for (const button of part.querySelectorAll('[data-copy]')) canCopy(button);
  for (const form of part.querySelectorAll('form')) saysItIsBusy(form);
}
prepare(document);
function fill(place) {
  const request = new XMLHttpRequest();
  request.open('GET', place.dataset.fill);
  request.responseType = 'document';
  request.timeout = 40000;
  request.onloadend = () => {
    const page = request.response;
    const found = page?.getElementById('result') ?? page?.getElementById('main');
    place.removeAttribute('aria-busy');
    if (!found) {
      for (const one of place.querySelectorAll('[role=alert], progress')) one.hidden = !one.hidden;
      return;
    }
    place.replaceChildren(...found.childNodes);
    document.title = said.textContent = page.title;
    prepare(place);
  };
  request.send();
}
for (const place of document.querySelectorAll('[data-fill]')) fill(place);
const steps = document.querySelector('[data-steps]');
let looks = 0;
async function lookForSteps() {
  if (document.hidden || (looks += 1) > 80) return;
  try {
    const answer = await fetch(steps.dataset.steps);
    if (answer.ok && !answer.redirected && (await answer.text()) !== steps.dataset.state) location.reload();
  } catch {}
}
if (steps !== null) setInterval(lookForSteps, 15000);
const looksAgain = 3000;
let unanswered = 0;
async function lookForResult() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(10000) });
    if (answer.status < 429 && answer.headers.get('test-status') !== 'pending') location.reload();
    unanswered = answer.status < 500 ? 0 : unanswered + 1;
  } catch {
    unanswered += 1;
  }
  document.getElementById('lost').hidden = unanswered < 2;
}
if (document.querySelector('[data-waiting]') !== null) setInterval(lookForResult, looksAgain);
`.replaceAll(/\n\s*/g, '\n');
