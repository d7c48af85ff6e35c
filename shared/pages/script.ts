/**
 * The script of all pages. Every page works without it: controls that need it stay hidden until it runs. It never
 * writes markup.
 */
export const script = `
for (const button of document.querySelectorAll('[data-copy]')) {
  const label = button.textContent;
  const said = document.getElementById('said');
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
for (const form of document.forms) {
  const labels = new Map(Array.from(form.querySelectorAll('button'), (button) => [button, button.textContent]));
  form.addEventListener('submit', (event) => {
    if (form.querySelector('[aria-disabled]') !== null) return event.preventDefault();
    const button = event.submitter ?? form.querySelector('button');
    button.textContent = button.dataset.busy;
    button.setAttribute('aria-disabled', 'true');
  });
  addEventListener('pageshow', () => {
    for (const [button, label] of labels) {
      button.textContent = label;
      button.removeAttribute('aria-disabled');
    }
  });
}
const looksAgain = 3000;
async function lookForResult() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href);
    if (answer.status < 429 && answer.headers.get('test-status') !== 'pending') location.reload();
  } catch {}
}
if (document.querySelector('[data-waiting]') !== null) setInterval(lookForResult, looksAgain);
`.replaceAll(/\n\s*/g, '\n');
