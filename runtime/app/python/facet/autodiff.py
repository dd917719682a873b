"""F as a function of vertices that PyTorch and JAX differentiate.

>>> f = facet.autodiff.for_jax(plan, faces)               # doctest: +SKIP
>>> slope = jax.grad(lambda v: (abs(f(v)) ** 2).sum())(vertices)   # doctest: +SKIP

The numbers are those of ``Plan.__call__`` and ``Plan.vjp``, on this machine's CPU (or the plan's device), in double; both frameworks wait for
them. A function is of one plan, whose mesh it sets, with the columns that the plan's mesh had when it was made. The plan may be
used elsewhere, and by other functions and threads: each call is of its own vertices. There are first derivatives alone, backwards alone;
others are refused.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .arguments import unmasked
from .errors import Error
from .mesh import Mesh, numbers
from .plan import Plan, warn_of_surface

__all__ = ["for_jax", "for_torch"]


class _Function:
    """F of vertices, and derivatives by them of a number whose derivative by conj(F) is given."""

    def __init__(self, plan: Plan, faces: npt.ArrayLike) -> None:
        self.plan = plan
        self.faces = np.array(unmasked(faces, "faces"))
        if self.faces.ndim != 2 or self.faces.shape[1] != 3 or not np.issubdtype(self.faces.dtype, np.integer):
            raise Error("faces: not an array of three vertices each, by their numbers\n  help: give an integer array of shape (n, 3)")
        if plan._kernel.outputs:
            raise Error("F has outputs by name: an array of one is needed\n  help: take a kernel whose finish returns a number")
        # Whose columns the mesh keeps: what is moved, the plan's mesh and then each that follows.
        self._like = plan._mesh
        if len(self._like) != len(self.faces) and self._like.columns:
            raise Error(f"faces: are {len(self.faces)}, and the plan's mesh has columns of {len(self._like)} triangles\n"
                        "  help: give the faces of the plan's mesh, in its order")
        self._held = np.empty((0, 3))  # the vertices of the mesh that was set
        self._mesh: Mesh | None = None

    def _moved(self, v: npt.NDArray[np.float64]) -> Mesh:
        if self._mesh is None and len(self._like) == len(self.faces):
            self._like = self._like._sharing(self.faces, len(v))
        made = self._like.moved(v) if len(self._like) == len(self.faces) else Mesh(v, self.faces)
        if made._faces is not None:  # else a triangle has no area now, and none of its columns is left
            self._like = made
        return made

    def _at(self, vertices: npt.ArrayLike, compute: Callable[[_core.Plan], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        """What is computed of the mesh with these vertices: nobody else who uses the plan gets between its mesh and that."""
        v = np.array(vertices, np.float64)
        with self.plan._alone() as plan:
            if self._mesh is None or self._mesh is not self.plan._mesh or not np.array_equal(v, self._held):
                self.plan._exchange(plan, self._moved(v))
                self._mesh, self._held = self.plan._mesh, v
            mesh, found = self._mesh, compute(plan)
        warn_of_surface(self.plan._kernel, mesh)
        return found

    def value(self, vertices: npt.ArrayLike) -> npt.NDArray[np.complex128]:
        return np.asarray(self._at(vertices, lambda plan: self.plan._executed(plan, {})), np.complex128)

    def back(self, vertices: npt.ArrayLike, cotangent: npt.ArrayLike) -> npt.NDArray[np.float64]:
        g = self.plan._cotangent(cotangent)
        return self._at(vertices, lambda plan: self.plan._added_up(plan, g))


def _says_so(call: Callable[..., Any], *given: Any) -> Any:
    """What a call gives; an Error where JAX asks for derivatives that are not there."""
    try:
        return call(*given)
    except (TypeError, ValueError) as failure:
        if not re.search("forward-mode|do not support JVP", str(failure)):
            raise
        raise Error("JAX asks for forward or second derivatives (jvp, jacfwd, hessian): there are first ones, backwards\n"
                    "  help: take jax.grad, jax.vjp or jax.jacrev; Plan.jvp has derivatives along one direction") from None


def for_jax(plan: Plan, faces: npt.ArrayLike) -> Callable[[Any], Any]:
    """A function of an array (vertices, 3) that returns F: jax.grad, jax.vjp, jax.jacrev, jax.jit and jax.vmap take it.

    F is complex128 if JAX has 64 bits enabled (``jax_enable_x64``), else complex64. vmap calls one mesh after the other.
    Forward and second derivatives raise Error.
    """
    of = _Function(plan, faces)
    jax: Any = importlib.import_module("jax")
    called = partial(jax.pure_callback, vmap_method="sequential")

    @jax.custom_vjp  # type: ignore[untyped-decorator]
    def function(vertices: Any) -> Any:
        made = jax.ShapeDtypeStruct(plan.grid.shape, jax.numpy.result_type(np.complex128))
        return called(lambda v: of.value(v).astype(made.dtype), made, vertices)

    def forward(vertices: Any) -> tuple[Any, Any]:
        return function(vertices), vertices

    def back(vertices: Any, g: Any) -> tuple[Any]:
        # JAX's cotangent g is such that dL = Re sum g dF; Plan.vjp's G such that dL = 2 Re sum conj(G) dF.
        made = jax.ShapeDtypeStruct(vertices.shape, vertices.dtype)
        return (_says_so(called, lambda v, h: of.back(v, np.conj(h) / 2).astype(made.dtype), made, vertices, g),)

    function.defvjp(forward, back)

    def checked(vertices: Any) -> Any:
        if not hasattr(vertices, "dtype"):
            vertices = numbers(vertices, "vertices", (3,))
        if len(vertices.shape) != 2 or vertices.shape[1] != 3 or vertices.dtype.kind not in "iuf":
            raise Error(f"vertices: are {vertices.dtype} of the shape {vertices.shape}\n  help: give real numbers, (vertices, 3)")
        return _says_so(function, vertices)

    return checked


def for_torch(plan: Plan, faces: npt.ArrayLike) -> Callable[[Any], Any]:
    """A function of a tensor (vertices, 3) that returns F, complex128; its backward fills the gradients of the vertices."""
    of = _Function(plan, faces)
    torch: Any = importlib.import_module("torch")

    class Function(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, vertices: Any) -> Any:
            ctx.save_for_backward(vertices)
            return torch.from_numpy(of.value(vertices.detach().cpu().numpy())).to(vertices.device)

        @staticmethod
        @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
        def backward(ctx: Any, g: Any) -> Any:
            # PyTorch's gradient g is such that dL = Re sum conj(g) dF.
            (vertices,) = ctx.saved_tensors
            made = of.back(vertices.detach().cpu().numpy(), g.cpu().numpy() / 2)
            return torch.from_numpy(made).to(vertices)

    return Function.apply  # type: ignore[no-any-return]
