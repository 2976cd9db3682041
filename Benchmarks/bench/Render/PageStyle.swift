/// How the page looks, in the colours of its charts: one column on a phone, two charts side by side on a wide screen.
enum PageStyle {
  static let text = """
    :root{color-scheme:light dark;--page:#f4f6f9;--card:#fff;--ink:#1b2330;--soft:#5b6472;--line:#dde2e9;--link:#0b63ce;\
    --bad:#b42318;--faster:#0b63ce;--slower:#c2570c;--floor:#6b7280}
    @media (prefers-color-scheme:dark){:root{--page:#0d1015;--card:#14181f;--ink:#e8ecf2;--soft:#a3acba;--line:#2a313c;\
    --link:#62a8ff;--bad:#ff8f85;--faster:#62a8ff;--slower:#ff9d57;--floor:#9aa3b2}}
    *{box-sizing:border-box}
    body{margin:0 auto;padding:1.25rem 1.25rem 4rem;max-width:98rem;background:var(--page);color:var(--ink);\
    font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;overflow-wrap:break-word}
    h1{font-size:1.5rem;margin:0}h2{font-size:1.25rem;margin:2.5rem 0 .75rem}
    .machine,footer p{margin:.15rem 0;color:var(--soft)}.bad{color:var(--bad);font-weight:600}
    .verdict{display:grid;grid-template-columns:repeat(3,1fr);gap:1rem;margin-top:1rem}
    .verdict section{background:var(--card);border:1px solid var(--line);border-top:4px solid var(--floor);\
    border-radius:10px;padding:.75rem 1rem}
    .verdict .faster{border-top-color:var(--faster)}.verdict .slower{border-top-color:var(--slower)}
    .verdict h2{margin:0;font-size:1.05rem;font-weight:600}.verdict b{font-size:2rem;line-height:1.1}
    .faster b{color:var(--faster)}.slower b{color:var(--slower)}
    .verdict p{margin:.4rem 0 0}
    nav{margin-top:1rem;line-height:2}nav a{margin-right:.9rem}a{color:var(--link)}
    .legend ul{margin:.25rem 0;padding-left:1.2rem}.keys{list-style:none}ul.keys{padding-left:0}
    .keys i{display:inline-block;width:1.6rem;height:.75rem;border-radius:2px;margin-right:.5rem;background:var(--floor)}
    .keys .faster{background:var(--faster)}.keys .slower{background:var(--slower)}
    main,.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,42rem),1fr));gap:1rem;\
    align-items:start}main>*{grid-column:1/-1;min-width:0}main>.single{grid-column:auto}main h2{margin-top:1.5rem}
    figure{margin:0;border:1px solid var(--line);border-radius:10px;overflow:hidden;max-width:52rem}
    figure svg{display:block;width:100%;height:auto}.narrow{display:none}
    details{margin-top:1rem}summary{cursor:pointer;color:var(--link)}
    .scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums;margin-top:.5rem}
    th,td{padding:.2rem .7rem;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}.n{text-align:right}
    @media (max-width:44rem){body{padding:.9rem .75rem 3rem;font-size:14px;line-height:1.4}h1{font-size:1.25rem}
    .machine{font-size:12px}.verdict{grid-template-columns:1fr;gap:.5rem;margin-top:.6rem}
    .verdict section{padding:.4rem .75rem .5rem}.verdict b{font-size:1.4rem}.verdict p{margin:.15rem 0 0}
    .narrow{display:block}.wide{display:none}th,td{padding:.2rem .45rem}}
    """
}
