"""SciPy's special functions. Made by scripts/generate.py from the op table."""

from typing import Any

from heddle._math.ufuncs import (
    Binary,
    BinaryPair,
    BinaryQuadruple,
    Quaternary,
    QuaternaryPair,
    QuinaryPair,
    Ternary,
    TernaryPair,
    Unary,
    UnaryPair,
    UnaryQuadruple,
)
from heddle._special.bessel import h1vp as h1vp
from heddle._special.bessel import h2vp as h2vp
from heddle._special.bessel import ivp as ivp
from heddle._special.bessel import jvp as jvp
from heddle._special.bessel import kvp as kvp
from heddle._special.bessel import sph_harm_y as sph_harm_y
from heddle._special.bessel import spherical_in as spherical_in
from heddle._special.bessel import spherical_jn as spherical_jn
from heddle._special.bessel import spherical_kn as spherical_kn
from heddle._special.bessel import spherical_yn as spherical_yn
from heddle._special.bessel import yvp as yvp
from heddle._special.counting import comb as comb
from heddle._special.counting import factorial as factorial
from heddle._special.counting import factorial2 as factorial2
from heddle._special.counting import factorialk as factorialk
from heddle._special.counting import lambertw as lambertw
from heddle._special.counting import multigammaln as multigammaln
from heddle._special.counting import perm as perm
from heddle._special.counting import polygamma as polygamma
from heddle._special.counting import zeta as zeta
from heddle._special.sums import diric as diric
from heddle._special.sums import log_softmax as log_softmax
from heddle._special.sums import logsumexp as logsumexp
from heddle._special.sums import sinc as sinc
from heddle._special.sums import softmax as softmax
from heddle._special.sums import softplus as softplus

erf: Unary
erfc: Unary
erfcx: Unary
erfi: Unary
erfinv: Unary
erfcinv: Unary
dawsn: Unary
wofz: Unary
voigt_profile: Ternary
ndtr: Unary
log_ndtr: Unary
ndtri: Unary
ndtri_exp: Unary
owens_t: Binary
gamma: Unary
gammaln: Unary
gammasgn: Unary
loggamma: Unary
rgamma: Unary
digamma: Unary
poch: Binary
beta: Binary
betaln: Binary
binom: Binary
gammainc: Binary
gammaincc: Binary
gammaincinv: Binary
gammainccinv: Binary
betainc: Ternary
betaincc: Ternary
betaincinv: Ternary
betainccinv: Ternary
zetac: Unary
expit: Unary
log_expit: Unary
logit: Unary
exp10: Unary
exprel: Unary
xlogy: Binary
xlog1py: Binary
powm1: Binary
cosm1: Unary
boxcox: Binary
boxcox1p: Binary
inv_boxcox: Binary
inv_boxcox1p: Binary
entr: Unary
rel_entr: Binary
kl_div: Binary
huber: Binary
pseudo_huber: Binary
cosdg: Unary
sindg: Unary
tandg: Unary
cotdg: Unary
radian: Ternary
j0: Unary
j1: Unary
y0: Unary
y1: Unary
i0: Unary
i0e: Unary
i1: Unary
i1e: Unary
k0: Unary
k0e: Unary
k1: Unary
k1e: Unary
jv: Binary
jve: Binary
yv: Binary
yve: Binary
yn: Binary
iv: Binary
ive: Binary
kv: Binary
kve: Binary
kn: Binary
hankel1: Binary
hankel1e: Binary
hankel2: Binary
hankel2e: Binary
wright_bessel: Ternary
log_wright_bessel: Ternary
besselpoly: Ternary
struve: Binary
modstruve: Binary
itstruve0: Unary
it2struve0: Unary
itmodstruve0: Unary
ber: Unary
bei: Unary
berp: Unary
beip: Unary
ker: Unary
kei: Unary
kerp: Unary
keip: Unary
ellipk: Unary
ellipkm1: Unary
ellipkinc: Binary
ellipe: Unary
ellipeinc: Binary
elliprc: Binary
elliprd: Ternary
elliprf: Ternary
elliprg: Ternary
elliprj: Quaternary
agm: Binary
exp1: Unary
expi: Unary
expn: Binary
spence: Unary
wrightomega: Unary
hyp0f1: Binary
hyp1f1: Ternary
hyp2f1: Quaternary
hyperu: Ternary
mathieu_a: Binary
mathieu_b: Binary
obl_cv: Ternary
pro_cv: Ternary
lpmv: Ternary
eval_jacobi: Quaternary
eval_sh_jacobi: Quaternary
eval_gegenbauer: Ternary
eval_chebyt: Binary
eval_chebyu: Binary
eval_chebyc: Binary
eval_chebys: Binary
eval_sh_chebyt: Binary
eval_sh_chebyu: Binary
eval_legendre: Binary
eval_sh_legendre: Binary
eval_genlaguerre: Ternary
eval_laguerre: Binary
eval_hermite: Binary
eval_hermitenorm: Binary
bdtr: Ternary
bdtrc: Ternary
bdtri: Ternary
bdtrik: Ternary
bdtrin: Ternary
btdtria: Ternary
btdtrib: Ternary
chdtr: Binary
chdtrc: Binary
chdtri: Binary
chdtriv: Binary
chndtr: Ternary
chndtridf: Ternary
chndtrinc: Ternary
chndtrix: Ternary
fdtr: Ternary
fdtrc: Ternary
fdtri: Ternary
fdtridfd: Ternary
gdtr: Ternary
gdtrc: Ternary
gdtria: Ternary
gdtrib: Ternary
gdtrix: Ternary
kolmogorov: Unary
kolmogi: Unary
smirnov: Binary
smirnovi: Binary
nbdtr: Ternary
nbdtrc: Ternary
nbdtri: Ternary
nbdtrik: Ternary
nbdtrin: Ternary
ncfdtr: Quaternary
ncfdtri: Quaternary
ncfdtridfd: Quaternary
ncfdtridfn: Quaternary
ncfdtrinc: Quaternary
nctdtr: Ternary
nctdtridf: Ternary
nctdtrinc: Ternary
nctdtrit: Ternary
nrdtrimn: Ternary
nrdtrisd: Ternary
pdtr: Binary
pdtrc: Binary
pdtri: Binary
pdtrik: Binary
stdtr: Binary
stdtridf: Binary
stdtrit: Binary
tklmbda: Binary
airy: UnaryQuadruple
airye: UnaryQuadruple
itairy: UnaryQuadruple
itj0y0: UnaryPair
it2j0y0: UnaryPair
iti0k0: UnaryPair
it2i0k0: UnaryPair
kelvin: UnaryQuadruple
ellipj: BinaryQuadruple
sici: UnaryPair
shichi: UnaryPair
fresnel: UnaryPair
modfresnelp: UnaryPair
modfresnelm: UnaryPair
pbdv: BinaryPair
pbvv: BinaryPair
pbwa: BinaryPair
mathieu_cem: TernaryPair
mathieu_sem: TernaryPair
mathieu_modcem1: TernaryPair
mathieu_modcem2: TernaryPair
mathieu_modsem1: TernaryPair
mathieu_modsem2: TernaryPair
obl_ang1: QuaternaryPair
obl_ang1_cv: QuinaryPair
obl_rad1: QuaternaryPair
obl_rad1_cv: QuinaryPair
obl_rad2: QuaternaryPair
obl_rad2_cv: QuinaryPair
pro_ang1: QuaternaryPair
pro_ang1_cv: QuinaryPair
pro_rad1: QuaternaryPair
pro_rad1_cv: QuinaryPair
pro_rad2: QuaternaryPair
pro_rad2_cv: QuinaryPair
jn: Binary
psi: Unary
btdtr: Ternary
btdtri: Ternary
cbrt: Unary
exp2: Unary
expm1: Unary
log1p: Unary
round: Unary

def __getattr__(name: str) -> Any: ...  # SciPy's own, on the host

__all__ = [
    "agm",
    "airy",
    "airye",
    "bdtr",
    "bdtrc",
    "bdtri",
    "bdtrik",
    "bdtrin",
    "bei",
    "beip",
    "ber",
    "berp",
    "besselpoly",
    "beta",
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "betaln",
    "binom",
    "boxcox",
    "boxcox1p",
    "btdtr",
    "btdtri",
    "btdtria",
    "btdtrib",
    "cbrt",
    "chdtr",
    "chdtrc",
    "chdtri",
    "chdtriv",
    "chndtr",
    "chndtridf",
    "chndtrinc",
    "chndtrix",
    "comb",
    "cosdg",
    "cosm1",
    "cotdg",
    "dawsn",
    "digamma",
    "diric",
    "ellipe",
    "ellipeinc",
    "ellipj",
    "ellipk",
    "ellipkinc",
    "ellipkm1",
    "elliprc",
    "elliprd",
    "elliprf",
    "elliprg",
    "elliprj",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfi",
    "erfinv",
    "eval_chebyc",
    "eval_chebys",
    "eval_chebyt",
    "eval_chebyu",
    "eval_gegenbauer",
    "eval_genlaguerre",
    "eval_hermite",
    "eval_hermitenorm",
    "eval_jacobi",
    "eval_laguerre",
    "eval_legendre",
    "eval_sh_chebyt",
    "eval_sh_chebyu",
    "eval_sh_jacobi",
    "eval_sh_legendre",
    "exp1",
    "exp2",
    "exp10",
    "expi",
    "expit",
    "expm1",
    "expn",
    "exprel",
    "factorial",
    "factorial2",
    "factorialk",
    "fdtr",
    "fdtrc",
    "fdtri",
    "fdtridfd",
    "fresnel",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammainccinv",
    "gammaincinv",
    "gammaln",
    "gammasgn",
    "gdtr",
    "gdtrc",
    "gdtria",
    "gdtrib",
    "gdtrix",
    "h1vp",
    "h2vp",
    "hankel1",
    "hankel1e",
    "hankel2",
    "hankel2e",
    "huber",
    "hyp0f1",
    "hyp1f1",
    "hyp2f1",
    "hyperu",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "inv_boxcox",
    "inv_boxcox1p",
    "it2i0k0",
    "it2j0y0",
    "it2struve0",
    "itairy",
    "iti0k0",
    "itj0y0",
    "itmodstruve0",
    "itstruve0",
    "iv",
    "ive",
    "ivp",
    "j0",
    "j1",
    "jn",
    "jv",
    "jve",
    "jvp",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kei",
    "keip",
    "kelvin",
    "ker",
    "kerp",
    "kl_div",
    "kn",
    "kolmogi",
    "kolmogorov",
    "kv",
    "kve",
    "kvp",
    "lambertw",
    "log1p",
    "log_expit",
    "log_ndtr",
    "log_softmax",
    "log_wright_bessel",
    "loggamma",
    "logit",
    "logsumexp",
    "lpmv",
    "mathieu_a",
    "mathieu_b",
    "mathieu_cem",
    "mathieu_modcem1",
    "mathieu_modcem2",
    "mathieu_modsem1",
    "mathieu_modsem2",
    "mathieu_sem",
    "modfresnelm",
    "modfresnelp",
    "modstruve",
    "multigammaln",
    "nbdtr",
    "nbdtrc",
    "nbdtri",
    "nbdtrik",
    "nbdtrin",
    "ncfdtr",
    "ncfdtri",
    "ncfdtridfd",
    "ncfdtridfn",
    "ncfdtrinc",
    "nctdtr",
    "nctdtridf",
    "nctdtrinc",
    "nctdtrit",
    "ndtr",
    "ndtri",
    "ndtri_exp",
    "nrdtrimn",
    "nrdtrisd",
    "obl_ang1",
    "obl_ang1_cv",
    "obl_cv",
    "obl_rad1",
    "obl_rad1_cv",
    "obl_rad2",
    "obl_rad2_cv",
    "owens_t",
    "pbdv",
    "pbvv",
    "pbwa",
    "pdtr",
    "pdtrc",
    "pdtri",
    "pdtrik",
    "perm",
    "poch",
    "polygamma",
    "powm1",
    "pro_ang1",
    "pro_ang1_cv",
    "pro_cv",
    "pro_rad1",
    "pro_rad1_cv",
    "pro_rad2",
    "pro_rad2_cv",
    "pseudo_huber",
    "psi",
    "radian",
    "rel_entr",
    "rgamma",
    "round",
    "shichi",
    "sici",
    "sinc",
    "sindg",
    "smirnov",
    "smirnovi",
    "softmax",
    "softplus",
    "spence",
    "sph_harm_y",
    "spherical_in",
    "spherical_jn",
    "spherical_kn",
    "spherical_yn",
    "stdtr",
    "stdtridf",
    "stdtrit",
    "struve",
    "tandg",
    "tklmbda",
    "voigt_profile",
    "wofz",
    "wright_bessel",
    "wrightomega",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "yn",
    "yv",
    "yve",
    "yvp",
    "zeta",
    "zetac",
]
