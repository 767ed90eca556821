r"""Tables of mathematical spelling: what becomes what, and which LaTeX commands may reach a parser."""

from guerdon_plugins.parsing.listed import listed

_COMMAND_SIGNS = listed(
    """π pi, ∞ infty, √ sqrt, × cdot, · cdot, ⋅ cdot, ∙ cdot, ± pm, ≤ le, ≥ ge, ≠ ne, ≈ approx, ∪ cup, ∩ cap, ∈ in,
    ∅ emptyset, … ldots, ⟨ langle, ⟩ rangle, ∖ setminus, → to, α alpha, β beta, γ gamma, δ delta, ε epsilon, θ theta,
    λ lambda, μ mu, ρ rho, σ sigma, φ phi, ψ psi, ω omega, Δ Delta, Ω Omega""",
    ",",
)
_FRACTIONS = listed("½ 1 2, ⅓ 1 3, ⅔ 2 3, ¼ 1 4, ¾ 3 4", ",")
SIGNS: dict[str, str] = {
    **{sign: rf"\{name} " for sign, name in map(listed, _COMMAND_SIGNS)},
    **{sign: rf"\frac{{{above}}}{{{below}}}" for sign, above, below in map(listed, _FRACTIONS)},
    **dict(zip("÷−–′，；、", "/--',;,", strict=True)),
    "ℝ": r"\mathbb{R}",
    "°": "",
}
"""Unicode signs and their LaTeX."""

RENAMED: dict[str, str] = {
    alias: name
    for name, *aliases in map(
        listed,
        listed(
            """frac dfrac tfrac cfrac, le leq leqslant, ge geq geqslant, ne neq, < lt, > gt, cdot times ast,
            ldots dots cdots dotsc, emptyset varnothing, { lbrace, } rbrace, [ lbrack, ] rbrack, / div,
            | vert mid lvert rvert, phi varphi, epsilon varepsilon, infty infinity, : colon, mod bmod""",
            ",",
        ),
    )
    for alias in aliases
}
"""LaTeX commands and the name that stands for them."""

WRAPPERS = listed(
    r"""text textbf textit textrm textnormal mathrm mathbf mathit mathsf mathnormal operatorname\*? mbox bm boldsymbol
    boxed fbox underline"""
)
"""Commands that only dress their argument."""

SPACING = listed("quad qquad displaystyle left right [bB]igg?[lr]? limits nolimits hfill phantom")
"""Commands that mean nothing."""

KNOWN = frozenset(
    listed(
        r"""frac sqrt pi cdot infty pm mp le ge ne approx cup cap in emptyset setminus ldots langle rangle begin end
        binom mathbb to sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln lg exp min max gcd lcm
        lim sum prod int overline vec hat bar angle triangle det alpha beta gamma delta epsilon zeta eta
        theta iota kappa lambda mu
        nu xi rho sigma tau upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega mod pmod
        lfloor rfloor lceil rceil prime top ell imath partial nabla circ perp parallel { } | % $ # & _ \ """
    )
)
"""Commands that may reach the parser."""

FUNCTIONS = listed(
    """sqrt arcsin arccos arctan sinh cosh tanh sin cos tan cot sec csc log ln lg exp pi infty alpha beta gamma delta
    theta lambda sigma omega phi"""
)
"""Words that are commands without a backslash, too."""

ENVIRONMENTS = frozenset(listed("pmatrix bmatrix matrix vmatrix cases array Bmatrix smallmatrix"))
"""Words that stand in ``\\begin{}``."""
