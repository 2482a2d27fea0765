//! The style sheet of the pages: light and dark, and usable on a phone.

/// The main button appears after a moment: the second half of a double click, with which another window
/// was closed in front of this one, must not press it.
pub(crate) const STYLE: &str = "\
:root{color-scheme:light dark;--text:#1d2129;--quiet:#5a6270;--back:#f3f4f7;--card:#fff;--line:#d5d9e0;\
--main:#1f5fd0;--on-main:#fff;--warn:#8a4b00;--warn-back:#fff4e0}\
@media(prefers-color-scheme:dark){:root{--text:#e7eaf0;--quiet:#a2aab8;--back:#14171d;--card:#1e222b;\
--line:#39404d;--main:#8ab4ff;--on-main:#0d1830;--warn:#ffcf8a;--warn-back:#3a2c12}}\
*{box-sizing:border-box}\
body{margin:0;padding:1rem;background:var(--back);color:var(--text);\
font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\
main{max-width:34rem;margin:4vh auto;padding:1.5rem;background:var(--card);\
border:1px solid var(--line);border-radius:.75rem}\
h1{margin:0 0 1rem;font-size:1.35rem;line-height:1.3}\
dl{margin:1rem 0;border-top:1px solid var(--line)}\
dl>div{padding:.6rem 0;border-bottom:1px solid var(--line)}\
dt{color:var(--quiet);font-size:.875rem}\
dd{margin:0}\
code{font:.9em ui-monospace,monospace}\
.warn{padding:.75rem 1rem;border-radius:.5rem;color:var(--warn);background:var(--warn-back)}\
.quiet{color:var(--quiet);font-size:.875rem}\
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.25rem}\
button,.button{flex:1 1 8rem;min-height:2.75rem;padding:.5rem 1rem;border:1px solid var(--line);\
border-radius:.5rem;background:transparent;color:inherit;font:inherit;text-align:center;\
text-decoration:none;cursor:pointer}\
button.main{border-color:var(--main);background:var(--main);color:var(--on-main);font-weight:600;\
animation:wait .8s}\
@keyframes wait{0%,99%{visibility:hidden}}\
button:focus-visible,a:focus-visible,input:focus-visible{outline:3px solid var(--main);outline-offset:2px}\
label{display:flex;gap:.5rem;align-items:baseline;margin-top:1rem}\
ul{margin:0;padding:0;list-style:none}\
li{padding:.9rem 0;border-bottom:1px solid var(--line)}\
li p{margin:0 0 .5rem}";
